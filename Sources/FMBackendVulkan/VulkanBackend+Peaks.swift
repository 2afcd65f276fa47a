package import FMBackend
internal import FMCore

extension VulkanBackend: PeakMeasuring {
  /// A copy and multiply-adds as compute shaders, each long enough that its submission does not count.
  package func measuredPeaks() throws(BackendError) -> DevicePeaks {
    do throws(VulkanError) {
      return DevicePeaks(
        copyBytesPerSecond: try copyRate(), flopsPerSecond: try multiplyAddRate())
    } catch { throw error.backendError }
  }

  private var isSoftware: Bool { vulkan.physical.kind == .software }
  private var width: Int { isSoftware ? 64 : 256 }

  /// Bytes read plus written a second.
  private func copyRate() throws(VulkanError) -> Double {
    let most = isSoftware ? 64 << 20 : 256 << 20
    let bytes = max(1 << 20, min(most, vulkan.physical.deviceBytes / 16)) / 16 * 16
    let source = try vulkan.makeBuffer(bytes: bytes, kind: .deviceLocal, purpose: "measured copy")
    let target = try vulkan.makeBuffer(bytes: bytes, kind: .deviceLocal, purpose: "measured copy")
    let pipeline = try vulkan.pipeline("peak_copy", constants: [UInt32(width)], pushBytes: 20)
    let words = bytes / 16
    let groups = min(VulkanRecorder.gridLimit, max(1, words / (4 * width)))
    let rounds = words / (groups * width) + 1
    let seconds = try bestTime { recorder throws(VulkanError) in
      try recorder.dispatch(pipeline, groups, iterations: rounds) { push in
        push.address(source)
        push.address(target)
        push.word(UInt32(words))
      }
    } before: { recorder throws(VulkanError) in
      try recorder.fill(source, bytes: bytes, word: 1)
    }
    return Double(2 * bytes) / seconds
  }

  /// Additions and multiplications a second.
  private func multiplyAddRate() throws(VulkanError) -> Double {
    let groups = isSoftware ? 64 : 8192
    let sums = try vulkan.makeBuffer(
      bytes: groups * width * 4, kind: .deviceLocal, purpose: "measured multiply-adds")
    let pipeline = try vulkan.pipeline("peak_fma", constants: [UInt32(width)], pushBytes: 20)
    // Rounds are doubled until the device is busy for some time; loops have a limit.
    var rounds = 256
    while true {
      let seconds = try bestTime { recorder throws(VulkanError) in
        try recorder.dispatch(pipeline, groups, iterations: rounds) { push in
          push.address(sums)
          push.float(0.999)
          push.float(0.001)
          push.word(UInt32(rounds))
        }
      }
      if seconds > 0.02 || rounds >= 32_768 {
        return Double(groups * width) * Double(rounds) * 64 / seconds
      }
      rounds *= 2
    }
  }

  /// The least time of a few submissions, in seconds; the first does not count.
  private func bestTime(
    _ body: (VulkanRecorder) throws(VulkanError) -> Void,
    before: (VulkanRecorder) throws(VulkanError) -> Void = { _ in }
  ) throws(VulkanError) -> Double {
    let preparation = try VulkanCommands(vulkan, label: "preparation of a measurement")
    try preparation.record(before)
    try vulkan.run(preparation)
    let commands = try VulkanCommands(vulkan, label: "measurement")
    try commands.record(body)
    var best = Double.infinity
    for round in 0..<4 {
      let start = MonotonicInstant.now
      try vulkan.run(commands)
      if round > 0 { best = min(best, MonotonicInstant.now.seconds(since: start)) }
    }
    return max(best, 1e-9)
  }
}
