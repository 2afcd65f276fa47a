import FMBackend
import FMBackendVulkan
import Testing

@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct PeakTests {
  @Test func `measures a copy and multiply-adds in a plausible range`() throws {
    let peaks = try VulkanBackend(VulkanTestDevice.shared.get()).measuredPeaks()
    #expect((1e7...1e14).contains(peaks.copyBytesPerSecond), "\(peaks)")
    #expect((1e8...1e16).contains(peaks.flopsPerSecond), "\(peaks)")
  }

  @Test(arguments: [1, 255, 256, 257, 5000])
  func `the measured copy copies every word and nothing behind`(count: Int) throws {
    let device = try VulkanTestDevice.shared.get()
    let words = (0..<(count * 4)).map { Float($0) }
    let source = try device.makeBuffer(bytes: count * 16, kind: .readback, purpose: "test")
    let target = try device.makeBuffer(bytes: count * 16 + 32, kind: .readback, purpose: "test")
    try source.write(words)
    try target.write([Float](repeating: -1, count: count * 4 + 8))
    let pipeline = try device.pipeline("peak_copy", constants: [64], pushBytes: 20)
    let commands = try VulkanCommands(device, label: "copy")
    try commands.record { recorder throws(VulkanError) in
      try recorder.dispatch(pipeline, 4, iterations: count / 256 + 1) { push in
        push.address(source)
        push.address(target)
        push.word(UInt32(count))
      }
    }
    try device.run(commands)
    #expect(try target.floats(count * 4 + 8) == words + [Float](repeating: -1, count: 8))
  }
}
