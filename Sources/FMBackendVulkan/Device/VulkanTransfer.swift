/// Moves bytes between the processor and device memory.
///
/// Where memory is unified, uploads are plain copies. Otherwise they go through two staging buffers
/// that take turns, so that the processor fills one while the device empties the other. Belongs to
/// one thread at a time.
package final class VulkanTransfer {
  private struct Slot {
    var buffer: VulkanBuffer
    var commands: VulkanCommands
  }

  private let device: VulkanDevice
  private let slotBytes: Int
  private let forceStaging: Bool
  private var uploads: [Slot] = []
  private var next = 0
  private var readback: Slot?
  private var last: VulkanSubmission?

  /// Staging buffers of `slotBytes` are made when the first staged transfer needs them.
  ///
  /// `forceStaging` stages even where memory can be written directly, for tests.
  package init(_ device: VulkanDevice, slotBytes: Int = 32 << 20, forceStaging: Bool = false) {
    precondition(slotBytes > 0, "a staging buffer needs room")
    self.device = device
    self.slotBytes = slotBytes
    self.forceStaging = forceStaging
  }

  /// Copies `bytes` into a buffer at `offset`; they are read before the call returns.
  ///
  /// The device may still be copying: ``finish()`` before the buffer's first use by the processor
  /// or before the transfer object goes. Commands submitted later see the bytes.
  /// - Throws: ``VulkanError`` `.invalidRange`, `.outOfMemory`, `.deviceLost`, `.call`.
  package func upload(
    _ bytes: UnsafeRawBufferPointer, to buffer: VulkanBuffer, offset: Int = 0
  ) throws(VulkanError) {
    try device.checkAlive()
    try buffer.check("upload", offset: offset, bytes: bytes.count)
    if !forceStaging, let mapped = buffer.mapped {
      if let source = bytes.baseAddress, bytes.count > 0 {
        mapped.baseAddress?.advanced(by: offset).copyMemory(from: source, byteCount: bytes.count)
      }
      return
    }
    var done = 0
    while done < bytes.count {
      let count = min(slotBytes, bytes.count - done)
      let part = UnsafeRawBufferPointer(rebasing: bytes[done..<(done + count)])
      try stage(part, to: buffer, offset: offset + done)
      done += count
    }
  }

  /// Waits until every upload has arrived.
  ///
  /// - Throws: ``VulkanError/deviceLost(label:reason:)``.
  package func finish() throws(VulkanError) {
    if let last { try device.wait(last) }
    last = nil
  }

  /// Copies bytes of a buffer out and waits for them; work submitted before is seen.
  ///
  /// Where the buffer is mapped, the caller has waited for what writes it.
  /// - Throws: ``VulkanError`` `.invalidRange`, `.outOfMemory`, `.deviceLost`, `.call`.
  package func download(
    _ buffer: VulkanBuffer, offset: Int = 0, into target: UnsafeMutableRawBufferPointer
  ) throws(VulkanError) {
    try device.checkAlive()
    try buffer.check("download", offset: offset, bytes: target.count)
    if !forceStaging, let mapped = buffer.mapped {
      try finish()
      target.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: mapped[offset..<(offset + target.count)]))
      return
    }
    let slot = try readbackSlot()
    var done = 0
    while done < target.count {
      let count = min(slotBytes, target.count - done)
      try slot.commands.record { recorder throws(VulkanError) in
        try recorder.copy(from: buffer, fromOffset: offset + done, to: slot.buffer, bytes: count)
      }
      try device.run(slot.commands)
      if let mapped = slot.buffer.mapped {
        UnsafeMutableRawBufferPointer(rebasing: target[done..<(done + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: mapped[..<count]))
      }
      done += count
    }
  }

  private func stage(
    _ bytes: UnsafeRawBufferPointer, to buffer: VulkanBuffer, offset: Int
  ) throws(VulkanError) {
    if uploads.count < 2 {
      uploads.append(try makeSlot(.upload, label: "upload"))
      next = uploads.count - 1
    }
    let slot = uploads[next]
    next = (next + 1) % 2
    // The device may still read what the slot was filled with two turns ago.
    if let busy = slot.commands.lastSubmission { try device.wait(busy) }
    slot.buffer.mapped?.copyMemory(from: bytes)
    try slot.commands.record { recorder throws(VulkanError) in
      try recorder.copy(from: slot.buffer, to: buffer, toOffset: offset, bytes: bytes.count)
    }
    last = try device.submit(slot.commands)
  }

  private func readbackSlot() throws(VulkanError) -> Slot {
    if let readback { return readback }
    let slot = try makeSlot(.readback, label: "read-back")
    readback = slot
    return slot
  }

  private func makeSlot(
    _ kind: VulkanMemoryKind, label: String
  ) throws(VulkanError) -> Slot {
    Slot(
      buffer: try device.makeBuffer(bytes: slotBytes, kind: kind, purpose: "staging"),
      commands: try VulkanCommands(device, label: label))
  }
}
