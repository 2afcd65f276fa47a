import FMCore

/// The reference's KV cache: floats that went through the storage format's rounding.
struct ReferenceCache {
  /// One layer's keys and values: `[blocks][blockTokens][kvHeads * headWidth]`.
  struct Layer {
    var keys: [Float]
    var values: [Float]
  }

  let layout: KVLayout
  let element: ExecutorConfiguration.KVElement
  /// By group, then by the layer's place in the group.
  var layers: [[Layer]]

  init(layout: KVLayout, configuration: ExecutorConfiguration) throws(BackendError) {
    self.layout = layout
    element = configuration.kvElement
    guard configuration.blockCounts.count == layout.groups.count else {
      throw .invalidStep(
        "\(configuration.blockCounts.count) block counts for \(layout.groups.count) groups")
    }
    layers = []
    for (group, blocks) in zip(layout.groups, configuration.blockCounts) {
      if element == .q8_0, group.headWidth % 32 != 0 {
        throw .unsupported(
          op: "store_kv",
          reason: "a q8_0 cache needs heads of a multiple of 32, not \(group.headWidth)")
      }
      guard
        let count = Self.product([
          blocks, KVLayout.blockTokens, group.kvHeads, group.headWidth,
        ]), count <= 1 << 34
      else {
        throw .outOfMemory(bytes: Int.max, purpose: "the KV cache")
      }
      let empty = Layer(
        keys: [Float](repeating: 0, count: count), values: [Float](repeating: 0, count: count))
      layers.append([Layer](repeating: empty, count: group.layers.count))
    }
  }

  private static func product(_ factors: [Int]) -> Int? {
    var result = 1
    for factor in factors {
      let (next, overflow) = result.multipliedReportingOverflow(by: factor)
      if overflow || factor < 0 { return nil }
      result = next
    }
    return result
  }

  /// Where a layer is: its group and its place there.
  func place(ofLayer layer: Int) -> (group: Int, index: Int) {
    for (number, group) in layout.groups.enumerated() {
      if let index = group.layers.firstIndex(of: layer) { return (number, index) }
    }
    preconditionFailure("validated programs name cached layers only")
  }

  /// Elements of one position.
  func width(ofGroup group: Int) -> Int {
    layout.groups[group].kvHeads * layout.groups[group].headWidth
  }

  /// Floats of one block of one layer's keys.
  private func blockSize(_ group: Int) -> Int { KVLayout.blockTokens * width(ofGroup: group) }

  var byteCount: Int {
    layers.joined().reduce(0) { $0 + ($1.keys.count + $1.values.count) * MemoryLayout<Float>.size }
  }

  /// A row as it reads back from the storage format.
  func rounded(_ row: ArraySlice<Float>) -> [Float] {
    switch element {
    case .f16:
      return row.map { HalfPrecision.float(HalfPrecision.bits($0)) }
    case .q8_0:
      var result: [Float] = []
      for start in stride(from: row.startIndex, to: row.endIndex, by: 32) {
        let block = row[start..<start + 32]
        result += quantized(Array(block))
      }
      return result
    }
  }

  /// 32 numbers as q8_0 keeps them: codes of eight bits under one f16 scale, NaN where one is not
  /// finite.
  private func quantized(_ block: [Float]) -> [Float] {
    guard block.allSatisfy(\.isFinite) else {
      return block.map { _ in .nan }
    }
    let largest = block.reduce(0) { max($0, abs($1)) }
    let inverse = largest > 0 ? 127 / largest : 0
    let scale = HalfPrecision.float(HalfPrecision.bits(largest / 127))
    return block.map { value in
      let scaled = value * inverse
      // Where the inverse overflows, a zero becomes NaN.
      let code = scaled.isNaN ? 0 : max(-127, min(127, scaled.rounded(.toNearestOrEven)))
      return scale * code
    }
  }

  mutating func copyBlock(group: Int, from source: Int, to destination: Int) {
    let size = blockSize(group)
    for index in layers[group].indices {
      for offset in 0..<size {
        let (from, to) = (source * size + offset, destination * size + offset)
        layers[group][index].keys[to] = layers[group][index].keys[from]
        layers[group][index].values[to] = layers[group][index].values[from]
      }
    }
  }

  func export(group: Int, block: Int) -> [UInt8] {
    let range = block * blockSize(group)..<(block + 1) * blockSize(group)
    var bytes: [UInt8] = []
    for layer in layers[group] {
      layer.keys[range].withUnsafeBytes { bytes.append(contentsOf: $0) }
      layer.values[range].withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  mutating func restore(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    let size = blockSize(group)
    let part = size * MemoryLayout<Float>.size
    guard bytes.count == layers[group].count * 2 * part else {
      throw .invalidStep(
        "a block of \(bytes.count) bytes, expected \(layers[group].count * 2 * part)")
    }
    for index in layers[group].indices {
      for offset in 0..<size {
        let (key, value) = bytes.withUnsafeBytes {
          (
            $0.loadUnaligned(fromByteOffset: index * 2 * part + offset * 4, as: Float.self),
            $0.loadUnaligned(fromByteOffset: (index * 2 + 1) * part + offset * 4, as: Float.self)
          )
        }
        layers[group][index].keys[block * size + offset] = key
        layers[group][index].values[block * size + offset] = value
      }
    }
  }
}
