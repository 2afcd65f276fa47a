import FMBackendVulkan
import Testing

/// The Khronos validation layer over everything the device layer does.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct DeviceValidationTests {
  /// A driver with the layer in front of it, when that is installed (vulkan-validationlayers).
  private static let hasLayer: Bool = {
    guard let instance = try? VulkanInstance(validation: true) else { return false }
    return instance.hasValidation
  }()

  @Test(.enabled(if: hasLayer, "the Khronos validation layer is not installed"))
  func `the validation layer has nothing to say`() throws {
    let log = VulkanMessageLog()
    try exercise(log)
    #expect(log.messages.map(\.text) == [])
    #expect(log.errorCount == 0 && log.warningCount == 0)
  }

  /// What is wrong on purpose is only done to a device that has no hardware to upset.
  @Test(.enabled(if: hasLayer && isSoftware, "needs the validation layer and a software device"))
  func `the validation layer is listened to`() throws {
    let log = VulkanMessageLog()
    let device = try open(log)
    // A workgroup beyond every limit is what the layer must notice.
    _ = try? device.pipeline(
      AddKernel.shader, constants: [1 << 20, 0, 0], pushBytes: AddKernel.pushBytes)
    #expect(log.errorCount > 0)
  }

  private static let isSoftware = (try? VulkanTestDevice.shared.get())?.physical.kind == .software

  private func open(_ log: VulkanMessageLog) throws -> VulkanDevice {
    let instance = try VulkanInstance(validation: true, log: log)
    let name = try VulkanTestDevice.shared.get().physical.name
    let physical = try #require(instance.physicalDevices.first { $0.name == name })
    return try VulkanDevice(instance: instance, physical: physical, cacheFolder: nil)
  }

  private func exercise(_ log: VulkanMessageLog) throws {
    let device = try open(log)
    let count = 1000
    let buffer = try device.makeBuffer(bytes: count * 4, kind: .deviceLocal, purpose: "test")
    let transfer = VulkanTransfer(device, slotBytes: 1024, forceStaging: true)
    let ones = [Float](repeating: 1, count: count)
    try ones.withUnsafeBytes { try transfer.upload($0, to: buffer) }
    let timestamps = try VulkanTimestamps(device, count: 2)
    let pipeline = try AddKernel.pipeline(on: device)
    let commands = try VulkanCommands(device, label: "all")
    try commands.record { recorder throws(VulkanError) in
      recorder.reset(timestamps)
      recorder.timestamp(timestamps, 0)
      for _ in 0..<3 {
        try AddKernel.dispatch(pipeline, buffer, buffer, buffer, count: count, in: recorder)
        recorder.barrier(.computeToCompute)
      }
      recorder.barrier(.computeToTransfer)
      try recorder.fill(buffer, offset: 4, bytes: 4)
      recorder.barrier(.transferToCompute)
      recorder.timestamp(timestamps, 1)
    }
    for _ in 0..<3 { try device.run(commands) }
    var result = [Float](repeating: 0, count: count)
    try result.withUnsafeMutableBytes { try transfer.download(buffer, into: $0) }
    try transfer.finish()
    #expect(result[0] == 512 && result[1] == 0 && result[999] == 512)
    _ = try timestamps.nanoseconds()
  }
}
