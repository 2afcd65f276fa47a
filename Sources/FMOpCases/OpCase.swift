package import FMBackend
package import FMCore

/// One op with a shape, types and inputs: a tiny program that any back end can run.
///
/// Inputs come from tables of embedding rows, so nothing but tokens enters; the op's output is
/// gathered as logits, so nothing but logits leaves. The same cases serve tests and `fmbench ops`.
package struct OpCase: Sendable {
  /// How a result must agree with the reference's.
  package enum Agreement: Sendable, Hashable {
    /// Squared error over squared size of all outputs.
    case error(bound: Double)
    /// The same candidates to the bit, and the log-sum-exp within 1e-5.
    case candidates
  }

  /// The op, types, shape and inputs, as tests and tables show it.
  package let name: String
  package let program: Program
  package let weights: InMemoryWeights
  /// Run in order on a fresh cache; the last one's results count.
  package let steps: [Step]
  package let agreement: Agreement
  /// The op under test in `program.ops`.
  package let opIndex: Int
  /// How keys and values are stored.
  package var kvElement = ExecutorConfiguration.KVElement.f16

  /// Stored types of the program's weights, in order.
  package var elementTypes: [ElementType] { weights.elementTypes(of: program) }

  /// What the op under test does and moves in the last step.
  package var cost: OpCost {
    guard let last = steps.last else { return OpCost() }
    let context = last.positions.last.map { Int($0) + 1 } ?? 0
    return program.cost(
      of: program.ops[opIndex],
      step: StepSize(rows: last.rowCount, outputs: last.outputs.count, context: context),
      elementTypes: elementTypes)
  }

  /// Why the back end cannot run the case, or nil.
  package func unsupported(on backend: any Backend) -> String? {
    backend.unsupported(program, elementTypes: elementTypes)
  }

  /// An executor with a cache that just fits the case.
  package func executor(on backend: any Backend) throws(BackendError) -> any Executor {
    let blocks = (program.contextLength + KVLayout.blockTokens - 1) / KVLayout.blockTokens
    let rows = steps.reduce(1) { max($0, $1.rowCount) }
    let outputs = steps.reduce(1) { max($0, $1.outputs.count) }
    return try backend.makeExecutor(
      program: program, weights: weights,
      configuration: ExecutorConfiguration(
        maximumRows: rows, maximumOutputs: outputs,
        blockCounts: program.kv.groups.map { _ in blocks }, kvElement: kvElement))
  }

  /// The result of the last step.
  ///
  /// Before it counts, the last step runs once with other tokens, and the result buffer is filled
  /// with NaN, so that what a back end forgets to write shows.
  package func result(on backend: any Backend) throws(BackendError) -> StepResult {
    let executor = try executor(on: backend)
    var result = StepResult()
    if var other = steps.last {
      other.tokens.reverse()
      // The cache it dirties is written again by the steps below: same positions, right tokens.
      if other.positions.first == 0 || program.kv.groups.isEmpty {
        try executor.run(other, into: &result)
      }
    }
    for step in steps {
      result.logits = [Float](repeating: .nan, count: 3 * program.vocabularySize)
      result.candidates = [Candidate(token: -1, logit: .nan)]
      result.entries = [StepResult.Entry(range: 0..<1, logSumExp: .nan)]
      try executor.run(step, into: &result)
    }
    return result
  }

  /// The logits of the last step's rows when it is cut into chunks of at most `rows` rows.
  ///
  /// For rows that each ask for their logits. A back end that keeps the numeric contract gives the
  /// same bits for every `rows`.
  package func logits(on backend: any Backend, rows: Int) throws(BackendError) -> [Float] {
    let executor = try executor(on: backend)
    var result = StepResult()
    var logits: [Float] = []
    for (index, step) in steps.enumerated() {
      for start in stride(from: 0, to: step.rowCount, by: rows) {
        let part = step.rows(start..<min(step.rowCount, start + rows))
        try executor.run(part, into: &result)
        if index == steps.count - 1 { logits += result.logits }
      }
    }
    return logits
  }
}

extension OpCase: CustomStringConvertible {
  package var description: String { name }
}

extension Step {
  /// The step with some of its rows, all of one sequence's tables kept.
  fileprivate func rows(_ range: Range<Int>) -> Step {
    var part = self
    part.tokens = Array(tokens[range])
    part.positions = Array(positions[range])
    part.sequences = Array(sequences[range])
    part.outputs = outputs.compactMap { request in
      guard range.contains(request.row) else { return nil }
      var moved = request
      moved.row -= range.lowerBound
      return moved
    }
    return part
  }
}
