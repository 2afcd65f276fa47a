internal import FMBackend

/// Room for the partial results of attention that is cut into chunks of the context.
final class AttentionScratch {
  /// Positions of a chunk; `Shaders/attention_chunk.comp` has the same number.
  static let chunkTokens = 128
  private static let mostBytes = 256 << 20

  let buffer: VulkanBuffer?
  /// The most rows that fit with a whole context each; more are done in turns.
  let rows: Int

  init(
    _ program: Program, configuration: ExecutorConfiguration, device: VulkanDevice
  ) throws(VulkanError) {
    var rowBytes = 0
    for case .attention(let op) in program.ops {
      let chunks = Self.chunks(context: program.contextLength, window: op.window)
      rowBytes = max(rowBytes, op.heads * chunks * (op.headWidth + 2) * 4)
    }
    guard rowBytes > 0 else {
      (buffer, rows) = (nil, configuration.maximumRows)
      return
    }
    rows = max(1, min(configuration.maximumRows, 64, Self.mostBytes / rowBytes))
    buffer = try device.makeBuffer(
      bytes: rows * rowBytes, kind: .deviceLocal, purpose: "attention scratch")
  }

  var byteCount: Int { buffer?.byteCount ?? 0 }

  /// The most chunks a row of at most `context` positions can meet.
  static func chunks(context: Int, window: Int?) -> Int {
    let all = (context + chunkTokens - 1) / chunkTokens
    // A window that begins inside a chunk touches one more.
    return min(all, window.map { ($0 - 1 + chunkTokens - 1) / chunkTokens + 1 } ?? all)
  }
}
