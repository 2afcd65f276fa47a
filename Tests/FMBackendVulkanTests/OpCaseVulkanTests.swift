import FMBackend
import FMBackendVulkan
import FMCore
import FMOpCases
import Testing

/// The table of op cases on the Vulkan back end.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct OpCaseVulkanTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  private func backend(_ change: (inout VulkanOptions) -> Void = { _ in }) -> VulkanBackend {
    var options = VulkanOptions()
    options.poisons = true
    change(&options)
    return VulkanBackend(device, options: options)
  }

  @Test(arguments: ElementType.allCases)
  func `agrees with the reference on matrix products of every type`(type: ElementType) throws {
    try check(OpCases.matmul(type), on: backend())
  }

  @Test func `agrees with the reference on every other op`() throws {
    let cases =
      OpCases.embedding() + OpCases.norm() + OpCases.elementwise() + OpCases.rope()
      + OpCases.attention() + OpCases.outputs()
    try check(cases, on: backend())
  }

  @Test func `agrees with the reference on a q8_0 cache`() throws {
    try check(OpCases.quantizedAttention(), on: backend())
  }

  private func check(_ cases: [OpCase], on backend: VulkanBackend) throws {
    for item in cases {
      if let reason = item.unsupported(on: backend) {
        Issue.record("\(item) is refused: \(reason)")
        continue
      }
      let outcome = try item.outcome(on: backend)
      #expect(outcome.passed, "\(outcome.detail)")
      // Weights and activations are f32 here, whatever the weights are stored as.
      if item.agreement != .candidates { #expect(outcome.error <= 1e-7, "\(outcome.detail)") }
    }
  }
}
