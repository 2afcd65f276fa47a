internal import FMBackend
internal import Glibc

/// Cosines and sines of a step's positions, for each rotation table and pairing a program uses.
///
/// A row holds `width` cosines, then `width` sines with the sign the kernels expect, in the order
/// of the elements they turn. Angles are computed in double and rounded once.
final class RotationTables {
  struct Table {
    var width: Int
    var pairing: Op.RoPE.Pairing
    /// Radians per position, one a pair.
    var frequencies: UnsafeMutablePointer<Double>
    /// `[maximumRows][2 * width]`.
    var rows: UnsafeMutablePointer<Float>
  }

  let tables: UnsafeMutableBufferPointer<Table>
  private let keys: [Key]
  let byteCount: Int

  private struct Key: Hashable {
    var table: RoPETableID
    var pairing: Op.RoPE.Pairing
  }

  init(program: Program, weights: PackedWeights, maximumRows: Int) {
    var keys: [Key] = []
    for op in program.ops {
      guard case .rope(let rope) = op else { continue }
      let key = Key(table: rope.table, pairing: rope.pairing)
      if !keys.contains(key) { keys.append(key) }
    }
    self.keys = keys
    tables = .allocate(capacity: keys.count)
    var bytes = 0
    for (index, key) in keys.enumerated() {
      let table = program.ropeTables[key.table.index]
      let pairs = table.width / 2
      let frequencies = UnsafeMutablePointer<Double>.allocate(capacity: pairs)
      let factors = table.factors.flatMap { weights.weights[$0.index].vector }
      for pair in 0..<pairs {
        let factor = factors.map { Double($0[pair]) } ?? 1
        frequencies[pair] =
          table.positionScale * pow(table.base, -2 * Double(pair) / Double(table.width)) / factor
      }
      let rows = UnsafeMutablePointer<Float>.allocate(capacity: maximumRows * 2 * table.width)
      rows.initialize(repeating: 0, count: maximumRows * 2 * table.width)
      bytes += maximumRows * 8 * table.width + pairs * 8
      tables.initializeElement(
        at: index,
        to: Table(width: table.width, pairing: key.pairing, frequencies: frequencies, rows: rows))
    }
    byteCount = bytes
  }

  deinit {
    for table in tables {
      table.frequencies.deallocate()
      table.rows.deallocate()
    }
    tables.deallocate()
  }

  /// The place of a table with a pairing among ``tables``.
  func index(_ table: RoPETableID, _ pairing: Op.RoPE.Pairing) -> Int {
    keys.firstIndex(of: Key(table: table, pairing: pairing)) ?? 0
  }
}

extension RotationTables.Table {
  /// Fills row `row` for `position`.
  func fill(row: Int, position: Int32) {
    let cosines = rows + row * 2 * width
    let sines = cosines + width
    let half = width / 2
    for pair in 0..<half {
      let angle = Double(position) * frequencies[pair]
      let (first, second) =
        pairing == .interleaved ? (2 * pair, 2 * pair + 1) : (pair, pair + half)
      let (cosine, sine) = (Float(cos(angle)), Float(sin(angle)))
      cosines[first] = cosine
      cosines[second] = cosine
      sines[first] = -sine
      sines[second] = sine
    }
  }
}
