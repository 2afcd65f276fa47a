import FMBackendVulkan
import Testing

/// A lost device says so, at once and at every call after.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct DeviceLossTests {
  @Test func `once lost, everything throws the first reason`() throws {
    let device = try VulkanTestDevice.open()
    let commands = try VulkanCommands(device, label: "work")
    try commands.record { _ throws(VulkanError) in }
    try device.run(commands)
    device.markLost(label: "decode", reason: "test")
    device.markLost(label: "later", reason: "other")
    #expect(device.isLost)
    let lost = VulkanError.deviceLost(label: "decode", reason: "test")
    #expect(throws: lost) { _ = try device.submit(commands) }
    #expect(throws: lost) { try commands.record { _ throws(VulkanError) in } }
    #expect(throws: lost) { _ = try VulkanCommands(device, label: "new") }
    #expect(throws: lost) {
      _ = try device.makeBuffer(bytes: 1, kind: .shared, purpose: "test")
    }
    #expect(throws: lost) { _ = try AddKernel.pipeline(on: device) }
  }

  @Test func `a wait beyond the watchdog's limit loses the device and names the work`() throws {
    let device = try VulkanTestDevice.open(
      watchdog: .init(sliceSeconds: 0.001, limitSeconds: 0.003))
    let never = VulkanSubmission(value: 1000, label: "never submitted")
    let failure = #expect(throws: VulkanError.self) { try device.wait(never) }
    #expect(
      failure == .deviceLost(label: "never submitted", reason: "no answer for 0.003 s"))
    #expect(device.isLost)
  }

  @Test func `a submission reports when it is done`() throws {
    let device = try VulkanTestDevice.open()
    let commands = try VulkanCommands(device, label: "work")
    try commands.record { _ throws(VulkanError) in }
    let submission = try device.submit(commands)
    try device.wait(submission)
    #expect(try device.isDone(submission))
    #expect(try !device.isDone(VulkanSubmission(value: 1000, label: "never")))
  }
}
