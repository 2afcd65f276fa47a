package import FMBackend
import FMCore

/// An executor without a model: every allowed token is as likely as any other.
///
/// For answers that only a grammar shapes. A token is a function of the seed and of how many were
/// asked for before.
package final class NoiseExecutor: Executor {
  package let program: Program
  package let configuration: ExecutorConfiguration
  package let memoryBytes = 0
  private let random: CounterRandom
  private var asked: UInt64 = 0

  /// An executor for a vocabulary and sequences of at most `contextLength` tokens.
  package init(vocabularySize: Int, contextLength: Int, seed: UInt64) {
    var program = Program()
    program.vocabularySize = vocabularySize
    program.contextLength = contextLength
    program.kv = KVLayout(groups: [KVGroup(layers: [0], kvHeads: 1, headWidth: 1, window: nil)])
    self.program = program
    configuration = ExecutorConfiguration(
      maximumRows: 512, maximumOutputs: 8,
      blockCounts: [contextLength / KVLayout.blockTokens + 2])
    random = CounterRandom(seed: seed)
  }

  /// Answers requests for the best candidate with any allowed token.
  package func run(
    _ step: borrowing Step, into result: inout StepResult
  ) throws(BackendError) {
    result.removeAll()
    for request in step.outputs {
      guard case .candidates(1) = request.kind else {
        throw .unsupported(op: "output", reason: "noise has one candidate and no logits")
      }
      let start = result.candidates.count
      if let token = pick(request.mask) {
        result.candidates.append(Candidate(token: token, logit: 0))
      }
      result.entries.append(.init(range: start..<result.candidates.count, logSumExp: 0))
    }
  }

  private func pick(_ mask: [UInt64]?) -> TokenID? {
    let bits = random.bits(at: asked)
    asked += 1
    guard let mask else { return TokenID(bits % UInt64(program.vocabularySize)) }
    let count = mask.reduce(0) { $0 + $1.nonzeroBitCount }
    guard count > 0 else { return nil }
    var rank = Int(bits % UInt64(count))
    for (word, bits) in mask.enumerated() {
      guard rank >= bits.nonzeroBitCount else {
        var rest = bits
        for _ in 0..<rank { rest &= rest - 1 }
        return TokenID(word * 64 + rest.trailingZeroBitCount)
      }
      rank -= bits.nonzeroBitCount
    }
    return nil
  }

  /// There are no keys and values to copy.
  package func copyBlock(
    group: Int, from source: Int, to destination: Int
  ) throws(BackendError) {}

  /// A block has no bytes.
  package func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] { [] }

  /// A block has no bytes.
  package func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {}
}
