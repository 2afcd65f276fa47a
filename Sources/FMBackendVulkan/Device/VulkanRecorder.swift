internal import CVulkan

/// Adds commands to a ``VulkanCommands``; valid inside the recording closure only.
package final class VulkanRecorder {
  /// Which writes the next commands wait for.
  package enum Barrier: Sendable, Hashable {
    case computeToCompute, computeToTransfer, transferToCompute, transferToTransfer
  }

  /// The most workgroups of a dimension that every device takes.
  package static let gridLimit: Int = 65_535

  package private(set) var dispatchCount = 0
  package private(set) var barrierCount = 0

  private let handle: VulkanHandle
  private let device: VulkanPhysicalDevice
  private var buffers: [ObjectIdentifier: VulkanBuffer] = [:]
  private var push = VulkanPushConstants()
  private var bound: VulkanPipeline?

  init(_ handle: VulkanHandle, device: VulkanPhysicalDevice) {
    self.handle = handle
    self.device = device
  }

  /// Runs `x · y · z` workgroups of a pipeline; `arguments` fills its push constants.
  ///
  /// `iterations` is the number of loop iterations of one invocation, all loops counted together.
  /// - Throws: ``VulkanError`` `.grid`, `.loopTooLong`, `.pushConstants`.
  package func dispatch(
    _ pipeline: VulkanPipeline, _ x: Int, _ y: Int = 1, _ z: Int = 1, iterations: Int = 0,
    arguments: (inout VulkanPushConstants) -> Void
  ) throws(VulkanError) {
    let groups = [x, y, z]
    guard groups.allSatisfy({ $0 > 0 && $0 <= Self.gridLimit }) else {
      throw .grid(shader: pipeline.shader, groups: groups, limit: Self.gridLimit)
    }
    if let limit = device.loopIterationLimit, iterations > limit {
      throw .loopTooLong(shader: pipeline.shader, iterations: iterations, limit: limit)
    }
    push.removeAll()
    arguments(&push)
    guard push.bytes.count == pipeline.pushBytes else {
      throw .pushConstants(
        shader: pipeline.shader, expected: pipeline.pushBytes, found: push.bytes.count)
    }
    for buffer in push.buffers { keep(buffer) }
    if bound !== pipeline {
      fm_vk_bind(handle.raw, pipeline.handle.raw)
      bound = pipeline
    }
    if !push.bytes.isEmpty {
      fm_vk_push(handle.raw, pipeline.layout.raw, push.bytes, UInt32(push.bytes.count))
    }
    fm_vk_dispatch(handle.raw, UInt32(x), UInt32(y), UInt32(z))
    dispatchCount += 1
  }

  /// Copies bytes between buffers; ranges of one buffer do not overlap.
  ///
  /// - Throws: ``VulkanError`` `.invalidRange`.
  package func copy(
    from source: VulkanBuffer, fromOffset sourceOffset: Int = 0, to target: VulkanBuffer,
    toOffset targetOffset: Int = 0, bytes: Int
  ) throws(VulkanError) {
    try source.check("copy", offset: sourceOffset, bytes: bytes)
    try target.check("copy", offset: targetOffset, bytes: bytes)
    guard bytes > 0 else { return }
    keep(source)
    keep(target)
    let (from, to) = (source.place, target.place)
    fm_vk_copy(
      handle.raw, from.buffer.raw, from.offset + UInt64(sourceOffset), to.buffer.raw,
      to.offset + UInt64(targetOffset), UInt64(bytes))
  }

  /// Fills bytes with copies of a word; offset and size are multiples of 4.
  ///
  /// - Throws: ``VulkanError`` `.invalidRange`.
  package func fill(
    _ buffer: VulkanBuffer, offset: Int = 0, bytes: Int, word: UInt32 = 0
  ) throws(VulkanError) {
    try buffer.check("fill", offset: offset, bytes: bytes, multipleOf: 4)
    guard bytes > 0 else { return }
    keep(buffer)
    let place = buffer.place
    fm_vk_fill(
      handle.raw, place.buffer.raw, place.offset + UInt64(offset), UInt64(bytes), word)
  }

  /// Makes the writes of earlier commands visible to later ones.
  package func barrier(_ kind: Barrier) {
    barrierCount += 1
    switch kind {
    case .computeToCompute:
      barrier(Self.compute, Self.shaderWrite, Self.compute, Self.shaderReadWrite)
    case .computeToTransfer:
      barrier(Self.compute, Self.shaderWrite, Self.transfer, Self.transferReadWrite)
    case .transferToCompute:
      barrier(Self.transfer, Self.transferWrite, Self.compute, Self.shaderReadWrite)
    case .transferToTransfer:
      barrier(Self.transfer, Self.transferWrite, Self.transfer, Self.transferReadWrite)
    }
  }

  /// Makes the queries writable again; before the first ``timestamp(_:_:)`` of a recording.
  package func reset(_ timestamps: VulkanTimestamps) {
    fm_vk_reset_queries(handle.raw, timestamps.pool.raw, UInt32(timestamps.count))
  }

  /// Notes the time when everything recorded so far is done.
  package func timestamp(_ timestamps: VulkanTimestamps, _ index: Int) {
    precondition(index >= 0 && index < timestamps.count, "no such timestamp")
    fm_vk_timestamp(handle.raw, timestamps.pool.raw, UInt32(index))
  }

  func begin() {
    buffers = [:]
    bound = nil
    dispatchCount = 0
    barrierCount = 0
    barrier(
      Self.compute | Self.transfer | Self.host,
      Self.shaderWrite | Self.transferWrite | Self.hostWrite, Self.compute | Self.transfer,
      Self.shaderReadWrite | Self.transferReadWrite)
  }

  func end() {
    barrier(
      Self.compute | Self.transfer, Self.shaderWrite | Self.transferWrite, Self.host,
      flags(VK_ACCESS_HOST_READ_BIT))
  }

  private func keep(_ buffer: VulkanBuffer) { buffers[ObjectIdentifier(buffer)] = buffer }

  private func barrier(_ from: UInt32, _ written: UInt32, _ to: UInt32, _ read: UInt32) {
    fm_vk_barrier(handle.raw, from, written, to, read)
  }

  private static let compute = flags(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
  private static let transfer = flags(VK_PIPELINE_STAGE_TRANSFER_BIT)
  private static let host = flags(VK_PIPELINE_STAGE_HOST_BIT)
  private static let shaderWrite = flags(VK_ACCESS_SHADER_WRITE_BIT)
  private static let shaderReadWrite = shaderWrite | flags(VK_ACCESS_SHADER_READ_BIT)
  private static let transferWrite = flags(VK_ACCESS_TRANSFER_WRITE_BIT)
  private static let transferReadWrite = transferWrite | flags(VK_ACCESS_TRANSFER_READ_BIT)
  private static let hostWrite = flags(VK_ACCESS_HOST_WRITE_BIT)
}

private func flags(_ bit: VkPipelineStageFlagBits) -> UInt32 { UInt32(bit.rawValue) }
private func flags(_ bit: VkAccessFlagBits) -> UInt32 { UInt32(bit.rawValue) }
