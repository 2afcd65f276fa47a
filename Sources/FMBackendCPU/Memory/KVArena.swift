internal import CFMKernels
internal import FMBackend

/// The KV cache: for each group, blocks of every layer, laid out as `fm_ops.h` says.
final class KVArena {
  /// One group's memory: `[layer][block][kvHead][keys [width][32], values [32][padded width]]`.
  ///
  /// In a q8_0 cache scales come after either. Sizes are in 16-bit units.
  struct Group {
    var memory: HugeMemory
    var blockCount: Int
    var layers: [Int]
    /// Units of one head's block.
    var headElements: Int
    /// Units of one block of one layer.
    var blockElements: Int

    /// One layer's block.
    func block(_ block: Int, layer: Int) -> UnsafeMutablePointer<UInt16> {
      memory.start.assumingMemoryBound(to: UInt16.self)
        + (layer * blockCount + block) * blockElements
    }
  }

  let groups: [Group]
  let element: ExecutorConfiguration.KVElement

  /// Makes an empty cache.
  /// - Throws: ``BackendError/unsupported(op:reason:)`` where heads are no whole groups of q8_0.
  init(
    layout: KVLayout, blockCounts: [Int], element: ExecutorConfiguration.KVElement
  ) throws(BackendError) {
    self.element = element
    var groups: [Group] = []
    for (group, count) in zip(layout.groups, blockCounts) {
      if element == .q8_0, group.headWidth % 32 != 0 {
        throw .unsupported(
          op: "store_kv",
          reason: "a q8_0 cache needs heads of a multiple of 32, not \(group.headWidth)")
      }
      let head =
        element == .f16
        ? fm_kv_head_elements(group.headWidth) : fm_kv_head_elements_q8_0(group.headWidth)
      let elements = head * group.kvHeads
      // Room beyond the end for reads of whole vectors.
      let (numbers, overflow) = elements.multipliedReportingOverflow(
        by: max(count, 0) * group.layers.count)
      guard count >= 0, !overflow, numbers < Int.max / 4 else {
        throw .outOfMemory(bytes: Int.max, purpose: "the KV cache")
      }
      groups.append(
        Group(
          memory: try HugeMemory(byteCount: numbers * 2 + 64, purpose: "the KV cache"),
          blockCount: count, layers: group.layers, headElements: head, blockElements: elements))
    }
    self.groups = groups
  }

  var byteCount: Int { groups.reduce(0) { $0 + $1.memory.byteCount } }

  /// Copies a block of every layer.
  func copy(group: Int, from source: Int, to destination: Int) throws(BackendError) {
    let group = try checked(group, source)
    guard destination >= 0, destination < group.blockCount else {
      throw .invalidStep("block \(destination) is outside 0 ..< \(group.blockCount)")
    }
    guard source != destination else { return }
    for layer in group.layers.indices {
      group.block(destination, layer: layer).update(
        from: group.block(source, layer: layer), count: group.blockElements)
    }
  }

  /// The bytes of a block, layer after layer.
  func export(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    let group = try checked(group, block)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(group.blockElements * 2 * group.layers.count)
    for layer in group.layers.indices {
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(
          start: group.block(block, layer: layer), count: group.blockElements * 2))
    }
    return bytes
  }

  /// Restores what ``export(group:block:)`` gave.
  func restore(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    let group = try checked(group, block)
    let layerBytes = group.blockElements * 2
    guard bytes.count == layerBytes * group.layers.count else {
      throw .invalidStep(
        "an exported block has \(bytes.count) bytes, expected \(layerBytes * group.layers.count)")
    }
    bytes.withUnsafeBytes { source in
      for layer in group.layers.indices {
        UnsafeMutableRawBufferPointer(start: group.block(block, layer: layer), count: layerBytes)
          .copyMemory(
            from: UnsafeRawBufferPointer(
              rebasing: source[layer * layerBytes..<(layer + 1) * layerBytes]))
      }
    }
  }

  private func checked(_ group: Int, _ block: Int) throws(BackendError) -> Group {
    guard groups.indices.contains(group) else {
      throw .invalidStep("KV group \(group) is outside 0 ..< \(groups.count)")
    }
    guard block >= 0, block < groups[group].blockCount else {
      throw .invalidStep("block \(block) is outside 0 ..< \(groups[group].blockCount)")
    }
    return groups[group]
  }
}
