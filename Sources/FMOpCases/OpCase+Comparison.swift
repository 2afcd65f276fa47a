package import FMBackend

/// How a back end did on a case.
package struct OpCaseOutcome: Sendable, Hashable {
  /// Squared error over squared size; 0 where both are all zeros, infinite where one is not finite.
  package var error: Double
  /// Whether the agreement asked for is there.
  package var passed: Bool
  /// What differs first, where something does.
  package var detail: String
}

extension OpCase {
  /// Runs the case on a back end and on the reference and compares them.
  package func outcome(on backend: any Backend) throws(BackendError) -> OpCaseOutcome {
    let expected = try result(on: ReferenceBackend())
    let found = try result(on: backend)
    switch agreement {
    case .error(let bound):
      let error = Self.error(found.logits, expected.logits)
      return OpCaseOutcome(
        error: error, passed: error <= bound,
        detail: "\(name): error \(error), bound \(bound)" + worst(found.logits, expected.logits))
    case .candidates: return compareCandidates(found, expected)
    }
  }

  /// Squared error over squared size; infinite when counts differ or a result is not finite.
  package static func error(_ found: [Float], _ expected: [Float]) -> Double {
    guard found.count == expected.count else { return .infinity }
    var (difference, size) = (0.0, 0.0)
    for (found, expected) in zip(found, expected) {
      guard found.isFinite, expected.isFinite else { return .infinity }
      let delta = Double(found) - Double(expected)
      difference += delta * delta
      size += Double(expected) * Double(expected)
    }
    return difference == 0 ? 0 : difference / size
  }

  private func worst(_ found: [Float], _ expected: [Float]) -> String {
    guard found.count == expected.count else {
      return "; \(found.count) numbers, expected \(expected.count)"
    }
    let index = found.indices.max {
      !(abs(found[$0] - expected[$0]) > abs(found[$1] - expected[$1]))
    }
    guard let index else { return "" }
    let (row, column) = index.quotientAndRemainder(dividingBy: program.vocabularySize)
    return "; worst at row \(row), \(column): \(found[index]), expected \(expected[index])"
  }

  private func compareCandidates(_ found: StepResult, _ expected: StepResult) -> OpCaseOutcome {
    let same =
      found.candidates == expected.candidates && found.logits == expected.logits
      && found.entries.map(\.range) == expected.entries.map(\.range)
    let sums = zip(found.entries, expected.entries).map {
      Self.difference($0.logSumExp, $1.logSumExp)
    }
    let error = sums.reduce(0, max)
    let difference = zip(found.candidates, expected.candidates).first { $0 != $1 }
    return OpCaseOutcome(
      error: error, passed: same && error < 1e-5,
      detail: "\(name): log-sum-exp differs by \(error), "
        + (difference.map { "\($0.0) instead of \($0.1)" } ?? "same candidates: \(same)"))
  }

  /// Relative to the greater of 1 and the expected size; infinite where only one is a number.
  private static func difference(_ found: Float, _ expected: Float) -> Double {
    if found == expected || (found.isNaN && expected.isNaN) { return 0 }
    guard found.isFinite, expected.isFinite else { return .infinity }
    return Double(abs(found - expected) / max(1, abs(expected)))
  }
}
