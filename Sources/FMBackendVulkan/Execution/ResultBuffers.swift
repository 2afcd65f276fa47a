internal import FMBackend

/// Where a step's answers are read from.
final class ResultBuffers {
  /// The most candidates of an output that the device chooses; more are chosen by the host.
  static let mostCandidates = 256
  /// The most outputs of a step whose candidates the device chooses.
  static let mostCandidateOutputs = 64
  /// The most biases of an output that the device adds: every thread looks through all of them.
  static let mostBiases = 4096
  /// Outputs whose logits are copied by the step's own recording.
  static let mostCopiedOutputs = 8
  /// Tokens of a chunk in `Shaders/candidates_chunk.comp`, and the chunks its merge can keep.
  static let chunkTokens = 2048
  static let mostChunks = 1024

  /// `[outputs][2 + 2 * capacity]` words.
  let candidates: VulkanBuffer
  let partial: VulkanBuffer
  /// `[outputs][width]` for few outputs.
  let logits: VulkanBuffer
  let chunks: Int

  init(
    width: Int, maximumOutputs: Int, device: VulkanDevice
  ) throws(VulkanError) {
    let outputs = max(1, maximumOutputs)
    chunks = (width + Self.chunkTokens - 1) / Self.chunkTokens
    let choosing = min(outputs, Self.mostCandidateOutputs)
    candidates = try device.makeBuffer(
      bytes: choosing * (2 + 2 * Self.mostCandidates) * 4, kind: .readback, purpose: "candidates")
    partial = try device.makeBuffer(
      bytes: choosing * chunks * (3 + 2 * Self.mostCandidates) * 4, kind: .deviceLocal,
      purpose: "candidates")
    logits = try device.makeBuffer(
      bytes: min(outputs, Self.mostCopiedOutputs) * width * 4, kind: .readback,
      purpose: "logits")
  }

  var byteCount: Int { candidates.byteCount + partial.byteCount + logits.byteCount }
}
