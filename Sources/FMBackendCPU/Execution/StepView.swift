internal import FMBackend
internal import FMCore

/// A step as the threads read it while it runs: pointers into the caller's arrays.
struct StepView {
  var rows = 0
  var outputs = 0
  var tokens: UnsafePointer<TokenID>! = nil
  var positions: UnsafePointer<Int32>! = nil
  var blocks: UnsafePointer<Int32>! = nil
  var tableStarts: UnsafePointer<Int32>! = nil
  /// Rows the step gives, `[rows, width]`, where the program takes some.
  var inputs: UnsafePointer<Float>! = nil
  var groups = 0
  /// The row of each output.
  var outputRows: UnsafeMutablePointer<Int32>
  /// Rows of one sequence that attention takes together.
  var tiles: UnsafeMutablePointer<RowTile>
  var tileCount = 0
  /// The sequence of each row.
  var sequences: UnsafePointer<Int32>! = nil

  /// The block table of a sequence in a group.
  func table(sequence: Int32, group: Int) -> UnsafePointer<Int32> {
    blocks + Int(tableStarts[Int(sequence) * groups + group])
  }

  func count(_ domain: RowDomain) -> Int { domain == .step ? rows : outputs }
}

/// Consecutive rows of one sequence.
struct RowTile {
  /// The most rows of a tile.
  static let maximumRows = 16

  var firstRow: Int
  var rows: Int
  var position: Int32
  var sequence: Int32

  /// The KV blocks that the tile's rows see, with a window of `window` positions (0: all).
  func blocks(window: Int) -> Range<Int> {
    let oldest = window > 0 ? max(0, Int(position) - window + 1) : 0
    let last = Int(position) + rows - 1
    return oldest / KVLayout.blockTokens..<last / KVLayout.blockTokens + 1
  }
}
