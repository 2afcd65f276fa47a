package import FMBackend

extension VulkanExecutor {
  /// Copies one KV block over another in every layer of a group.
  package func copyBlock(
    group: Int, from source: Int, to destination: Int
  ) throws(BackendError) {
    try check(group: group, blocks: [source, destination])
    if source == destination { return }
    do throws(VulkanError) {
      let commands = try VulkanCommands(state.device, label: "copy of a KV block")
      let from = state.cache.stretches(group: group, block: source)
      let to = state.cache.stretches(group: group, block: destination)
      try commands.record { recorder throws(VulkanError) in
        for (from, to) in zip(from, to) {
          try recorder.copy(
            from: from.buffer, fromOffset: from.offset, to: to.buffer, toOffset: to.offset,
            bytes: from.bytes)
        }
      }
      try state.device.run(commands)
    } catch { throw error.backendError }
  }

  /// The block's bytes: layer after layer, keys, then values, each with its scales behind it.
  package func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    try check(group: group, blocks: [block])
    let stretches = state.cache.stretches(group: group, block: block)
    var bytes = [UInt8](repeating: 0, count: stretches.reduce(0) { $0 + $1.bytes })
    var failure: VulkanError?
    bytes.withUnsafeMutableBytes { target in
      do throws(VulkanError) {
        var end = 0
        for part in stretches {
          try transfer.download(
            part.buffer, offset: part.offset,
            into: UnsafeMutableRawBufferPointer(rebasing: target[end..<(end + part.bytes)]))
          end += part.bytes
        }
      } catch { failure = error }
    }
    if let failure { throw failure.backendError }
    return bytes
  }

  /// Restores what ``exportBlock(group:block:)`` gave.
  package func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    try check(group: group, blocks: [block])
    let stretches = state.cache.stretches(group: group, block: block)
    guard bytes.count == stretches.reduce(0, { $0 + $1.bytes }) else {
      throw .invalidStep("\(bytes.count) bytes for a KV block of another size")
    }
    var failure: VulkanError?
    bytes.withUnsafeBytes { source in
      do throws(VulkanError) {
        var end = 0
        for part in stretches {
          try transfer.upload(
            UnsafeRawBufferPointer(rebasing: source[end..<(end + part.bytes)]), to: part.buffer,
            offset: part.offset)
          end += part.bytes
        }
        try transfer.finish()
      } catch { failure = error }
    }
    if let failure { throw failure.backendError }
  }

  private func check(group: Int, blocks: [Int]) throws(BackendError) {
    guard configuration.blockCounts.indices.contains(group) else {
      throw .invalidStep("KV group \(group) of \(configuration.blockCounts.count)")
    }
    for block in blocks where !(0..<configuration.blockCounts[group]).contains(block) {
      throw .invalidStep("KV block \(block) of \(configuration.blockCounts[group])")
    }
  }
}
