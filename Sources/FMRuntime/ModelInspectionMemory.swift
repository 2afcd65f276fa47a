import FMFormats

/// How much memory a model needs: its weights, and its KV cache at some context length.
///
/// The KV cache is counted in half precision: `2 bytes × context × Σ over layers of KV heads × (key width
/// + value width)`, where layers with a sliding window keep at most the window, in whole blocks.
package struct ModelMemoryPlan: Sendable, Hashable {
  /// Bytes of one KV element, half precision.
  package static let elementBytes = 2
  private static let blockTokens = 32
  private static let layerLimit = 4096

  /// Bytes of all tensors.
  package let weightBytes: Int
  /// The context length the cache is counted for; nil where the file does not say one.
  package let context: Int?
  /// Bytes of the KV cache at that length; nil where the metadata does not suffice.
  package let cacheBytes: Int?

  /// The sum; nil where the KV cache is not known.
  package var totalBytes: Int? {
    cacheBytes.flatMap { cache in
      let (sum, overflow) = weightBytes.addingReportingOverflow(cache)
      return overflow ? nil : sum
    }
  }

  init(_ file: GGUFFile, context: Int?) {
    weightBytes = file.tensors.reduce(0) { $0 + $1.byteRange.count }
    self.context = context
    cacheBytes = context.flatMap { Self.cacheBytes(file, context: $0) }
  }

  private static func cacheBytes(_ file: GGUFFile, context: Int) -> Int? {
    guard
      let architecture = file.string("general.architecture"),
      let layers = file.integer("\(architecture).block_count"), (1...layerLimit).contains(layers),
      (1...1 << 40).contains(context)
    else { return nil }
    let shape = HeadShape(file, architecture: architecture, layers: layers)
    guard let shape else { return nil }
    let window = file.integer("\(architecture).attention.sliding_window").flatMap {
      $0 > 0 ? $0 : nil
    }
    var sum = 0
    for layer in 0..<layers {
      let isLocal = window != nil && shape.isLocal(layer)
      let positions = isLocal ? min(context, window ?? context) : context
      let blocks = (positions + blockTokens - 1) / blockTokens
      let width = shape.kvHeads[layer] * (shape.keyWidth + shape.valueWidth)
      let (bytes, overflow) = (blocks * blockTokens).multipliedReportingOverflow(
        by: width * elementBytes)
      guard !overflow else { return nil }
      let (total, tooMuch) = sum.addingReportingOverflow(bytes)
      guard !tooMuch else { return nil }
      sum = total
    }
    return sum
  }
}

/// What the KV cache of a model consists of.
private struct HeadShape {
  private static let widthLimit = 1 << 20

  /// For each layer.
  let kvHeads: [Int]
  let keyWidth: Int
  let valueWidth: Int
  private let pattern: [Bool]?
  private let period: Int?

  /// Nil where the metadata does not suffice or makes no sense.
  init?(_ file: GGUFFile, architecture: String, layers: Int) {
    let prefix = "\(architecture).attention"
    let heads = Self.numbers(file, "\(prefix).head_count", layers)
    guard let kvHeads = Self.numbers(file, "\(prefix).head_count_kv", layers) ?? heads else {
      return nil
    }
    let common = Self.commonWidth(file, architecture: architecture, heads: heads)
    guard
      let keyWidth = file.integer("\(prefix).key_length") ?? common,
      let valueWidth = file.integer("\(prefix).value_length") ?? common,
      (1...Self.widthLimit).contains(keyWidth), (1...Self.widthLimit).contains(valueWidth)
    else { return nil }
    self.kvHeads = kvHeads
    self.keyWidth = keyWidth
    self.valueWidth = valueWidth
    let patternKey = "\(prefix).sliding_window_pattern"
    pattern = file.array(patternKey).flatMap { array in
      array.elementType == .bool && array.count == layers
        ? (0..<layers).map { array.value(at: $0).bool ?? false } : nil
    }
    period = file.integer(patternKey) ?? Self.knownPeriods[architecture]
  }

  /// Every so manieth layer sees the whole context, where the metadata does not say.
  private static let knownPeriods = ["gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2]

  /// Whether the layer sees only the sliding window.
  func isLocal(_ layer: Int) -> Bool {
    if let pattern { return pattern[layer] }
    guard let period, period > 0 else { return false }
    return (layer + 1) % period != 0
  }

  private static func commonWidth(
    _ file: GGUFFile, architecture: String, heads: [Int]?
  ) -> Int? {
    guard
      let width = file.integer("\(architecture).embedding_length"),
      let count = heads?.first, count > 0, width > 0
    else { return nil }
    return width / count
  }

  /// A number for every layer: one for all, or an array with one each.
  private static func numbers(_ file: GGUFFile, _ key: String, _ layers: Int) -> [Int]? {
    if let number = file.integer(key), (0...widthLimit).contains(number) {
      return [Int](repeating: number, count: layers)
    }
    guard
      let array = file.array(key), array.count == layers, let numbers = array.integers(),
      numbers.allSatisfy({ (0...widthLimit).contains($0) })
    else { return nil }
    return numbers
  }
}
