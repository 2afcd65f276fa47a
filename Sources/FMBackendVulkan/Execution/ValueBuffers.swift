internal import FMBackend

/// The storages of a plan's values on the device: `[rows][stride]` f32 each.
///
/// Columns beyond a value's width are zero, as products read whole units of 32.
final class ValueBuffers {
  private let buffers: [VulkanBuffer]
  private let strides: [Int]
  /// Storages without padding, whose whole extent may be poisoned.
  private let usesAllColumns: [Bool]
  /// Bytes behind every storage that nothing may write.
  private let guardBytes: Int
  private static let guardWord: UInt32 = 0x5afe_c0de

  init(
    _ plan: DispatchPlan, configuration: ExecutorConfiguration, device: VulkanDevice,
    options: VulkanOptions
  ) throws(VulkanError) {
    strides = plan.strides
    guardBytes = options.poisons ? 256 : 0
    var rows = [Int](repeating: 1, count: plan.strides.count)
    var used = [Int](repeating: 0, count: plan.strides.count)
    for slot in plan.slots {
      used[slot.storage] = max(used[slot.storage], slot.column + slot.width)
      rows[slot.storage] =
        slot.domain == .step
        ? configuration.maximumRows : max(1, configuration.maximumOutputs)
    }
    usesAllColumns = zip(used, plan.strides).map { $0 == $1 }
    var buffers: [VulkanBuffer] = []
    for (stride, rows) in zip(plan.strides, rows) {
      buffers.append(
        try device.makeBuffer(
          bytes: stride * rows * 4 + guardBytes, kind: .deviceLocal, purpose: "activations"))
    }
    self.buffers = buffers
    let commands = try VulkanCommands(device, label: "clear activations")
    let guardBytes = self.guardBytes
    try commands.record { recorder throws(VulkanError) in
      for buffer in buffers {
        try recorder.fill(buffer, bytes: buffer.byteCount - guardBytes)
        try recorder.fill(
          buffer, offset: buffer.byteCount - guardBytes, bytes: guardBytes, word: Self.guardWord)
      }
    }
    try device.run(commands)
  }

  var byteCount: Int { buffers.reduce(0) { $0 + $1.byteCount } }

  /// Floats from one row of the slot's storage to the next.
  func stride(_ slot: DispatchPlan.Slot) -> UInt32 { UInt32(strides[slot.storage]) }

  /// The buffer of a slot's storage.
  func buffer(_ slot: DispatchPlan.Slot) -> VulkanBuffer { buffers[slot.storage] }

  /// Adds the address of a slot's row, or any valid one for none.
  func push(_ slot: DispatchPlan.Slot?, row: Int = 0, into constants: inout VulkanPushConstants) {
    let storage = slot?.storage ?? 0
    constants.address(
      buffers[storage], offset: (row * strides[storage] + (slot?.column ?? 0)) * 4)
  }

  /// Fills every storage whose columns are all in use with NaN.
  func poison(_ recorder: VulkanRecorder) throws(VulkanError) {
    for (index, buffer) in buffers.enumerated() where usesAllColumns[index] {
      try recorder.fill(buffer, bytes: buffer.byteCount - guardBytes, word: 0x7fc0_0000)
    }
  }

  /// The first storage whose guard was overwritten, or nil.
  func brokenGuard(_ transfer: VulkanTransfer) throws(VulkanError) -> Int? {
    var words = [UInt32](repeating: 0, count: guardBytes / 4)
    for (index, buffer) in buffers.enumerated() {
      var failure: VulkanError?
      words.withUnsafeMutableBytes { bytes in
        do throws(VulkanError) {
          try transfer.download(buffer, offset: buffer.byteCount - guardBytes, into: bytes)
        } catch { failure = error }
      }
      if let failure { throw failure }
      if words.contains(where: { $0 != Self.guardWord }) { return index }
    }
    return nil
  }
}
