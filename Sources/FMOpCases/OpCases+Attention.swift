import FMBackend
import FMCore

extension OpCases {
  /// Rotations of both pairings, whole and partial heads, near and far positions.
  package static func rope() -> [OpCase] {
    var cases: [OpCase] = []
    for pairing in [Op.RoPE.Pairing.interleaved, .halves] {
      for (heads, width, rotated) in [
        (1, 2, 2), (3, 64, 64), (2, 64, 32), (9, 80, 80), (1, 256, 256),
      ] {
        for position in [0, 1, 511, 8000] {
          cases.append(
            rope(pairing, heads: heads, width: width, rotated: rotated, position: position))
        }
      }
      cases.append(
        rope(pairing, heads: 2, width: 64, rotated: 64, position: 300, factors: true))
    }
    return cases
  }

  private static func rope(
    _ pairing: Op.RoPE.Pairing, heads: Int, width: Int, rotated: Int, position: Int,
    factors: Bool = false
  ) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: heads * width, contextLength: 8192)
    let value = builder.input("input", width: heads * width)
    let divisors =
      factors
      ? builder.weight(
        RandomTensor(
          name: "factors", type: .f32, rows: 1, columns: rotated / 2, deviation: 0.5, mean: 4,
          seed: 7)) : nil
    let table = builder.table(
      RoPETable(
        width: rotated, base: 10000, positionScale: factors ? 0.125 : 1, factors: divisors))
    builder.append(
      .rope(
        .init(value: value, heads: heads, headWidth: width, pairing: pairing, table: table)))
    return builder.finish(
      "rope \(pairing.rawValue) heads=\(heads)x\(width) rotated=\(rotated) position=\(position)"
        + (factors ? " factors" : ""),
      output: value, steps: [StepShape(firstPosition: position, rows: 5)], bound: floatBound)
  }

  /// The shape of one attention case.
  private struct AttentionShape {
    var heads = 6
    var kvHeads = 2
    var headWidth = 32
    var window: Int?
    var softCap: Float?
    var input = CaseInput.normal
    /// Multiplies queries, so that the softmax goes from flat to one-hot.
    var sharpness: Float = 1
  }

  /// Contexts around the block of 32 positions, windows, soft caps, head shapes, hard inputs.
  package static func attention() -> [OpCase] {
    var cases: [OpCase] = []
    for context in [1, 2, 31, 32, 33, 63, 64, 65, 513] {
      for rows in [1, 2, 5, 33] where rows <= context {
        cases.append(attention(AttentionShape(), context: context, rows: rows))
      }
      for window in [1, 32, 40] {
        cases.append(
          attention(AttentionShape(window: window), context: context, rows: min(3, context)))
      }
    }
    let shapes = [(1, 1, 64), (9, 3, 64), (4, 1, 256), (8, 8, 80), (2, 1, 16), (16, 2, 128)]
    for (heads, kvHeads, width) in shapes {
      let shape = AttentionShape(heads: heads, kvHeads: kvHeads, headWidth: width)
      cases.append(attention(shape, context: 70, rows: 4))
    }
    for sharpness in [Float(0), 30, 300] {
      cases.append(attention(AttentionShape(sharpness: sharpness), context: 100, rows: 4))
    }
    cases.append(attention(AttentionShape(softCap: 5), context: 100, rows: 4))
    cases.append(attention(AttentionShape(window: 40, softCap: 50), context: 100, rows: 4))
    for input in CaseInput.allCases where input != .large {
      cases.append(attention(AttentionShape(input: input), context: 65, rows: 4))
    }
    return cases
  }

  /// The attention cases that a cache of the q8_0 kind can hold: heads of whole groups of 32.
  ///
  /// Not in ``all()``: not every device has such a cache.
  package static func quantizedAttention() -> [OpCase] {
    attention().compactMap { item in
      guard item.program.kv.groups.allSatisfy({ $0.headWidth % 32 == 0 }) else { return nil }
      var item = item
      item.kvElement = .q8_0
      return item
    }
  }

  /// `context` positions of which the last `rows` are one step, the others earlier steps.
  private static func attention(_ shape: AttentionShape, context: Int, rows: Int) -> OpCase {
    let width = shape.heads * shape.headWidth
    let kvWidth = shape.kvHeads * shape.headWidth
    var builder = OpCaseBuilder(
      outputWidth: width, contextLength: 544,
      kv: KVLayout(groups: [
        KVGroup(
          layers: [0], kvHeads: shape.kvHeads, headWidth: shape.headWidth, window: shape.window)
      ]))
    let query = builder.input("query", width: width, scale: shape.sharpness)
    let key = builder.input("key", width: kvWidth, shape.input)
    let value = builder.input("value", width: kvWidth, shape.input)
    let mixed = builder.value("mixed", width: width)
    builder.append(.storeKV(.init(layer: 0, key: key, value: value)), underTest: false)
    builder.append(
      .attention(
        .init(
          layer: 0, query: query, heads: shape.heads, kvHeads: shape.kvHeads,
          headWidth: shape.headWidth, scale: 1 / Float(shape.headWidth).squareRoot(),
          window: shape.window, softCap: shape.softCap, output: mixed)))
    let before = context - rows
    var steps = [StepShape(firstPosition: before, rows: rows)]
    if before > 0 { steps.insert(StepShape(rows: before, asks: false), at: 0) }
    let name =
      "attention \(shape.heads)/\(shape.kvHeads)x\(shape.headWidth) context=\(context) rows=\(rows)"
      + (shape.window.map { " window=\($0)" } ?? "") + (shape.softCap.map { " cap=\($0)" } ?? "")
      + " sharpness=\(shape.sharpness) \(shape.input.rawValue)"
    return builder.finish(name, output: mixed, steps: steps, bound: 1e-8)
  }
}
