package import FMBackend
package import FMCore
package import FMOpCases

/// Runs op cases on a user's device: cheap insurance against faults of drivers.
package struct DeviceSelfTest: Sendable {
  /// What a run found.
  package struct Report: Sendable, Hashable {
    /// What was found for one kind of op.
    package struct Family: Sendable, Hashable {
      /// The first word of its cases' names.
      package var name: String
      /// Cases that ran, cases the device refused as unsupported, and cases that failed.
      package var ran = 0
      package var refused = 0
      package var failed = 0
      /// The greatest error: squared, relative to the reference's squares.
      package var worst = 0.0
    }

    /// One entry a kind of op, in the order of the cases.
    package var families: [Family] = []
    /// What went wrong, a line each, in the order of the cases.
    package var failures: [String] = []

    package init() {}

    /// Cases that ran.
    package var ran: Int { families.reduce(0) { $0 + $1.ran } }
    /// Cases the device refused.
    package var refused: Int { families.reduce(0) { $0 + $1.refused } }

    fileprivate mutating func count(_ item: OpCase, _ change: (inout Family) -> Void) {
      let name = String(item.name.prefix { $0 != " " })
      if families.last?.name != name, !families.contains(where: { $0.name == name }) {
        families.append(Family(name: name))
      }
      if let index = families.firstIndex(where: { $0.name == name }) { change(&families[index]) }
    }
  }

  /// The cases, in the order they run.
  package var cases: [OpCase]

  /// How many cases there are.
  package var caseCount: Int { cases.count }

  /// A test of given cases.
  package init(cases: [OpCase]) { self.cases = cases }

  /// Every case of the table: minutes on a software device.
  package static var whole: DeviceSelfTest { DeviceSelfTest(cases: OpCases.all()) }

  /// A few cases of every op with weights of the given types.
  package static func quick(types: [ElementType]) -> DeviceSelfTest {
    DeviceSelfTest(cases: OpCases.quick(types: types))
  }

  /// Runs the cases against the plain-Swift reference.
  ///
  /// A device that fails in the middle ends the run with that as its last failure; `progress` is
  /// told the number of finished cases after each.
  package func run(
    on backend: any Backend, progress: (_ done: Int) -> Void = { _ in }
  ) -> Report {
    var report = Report()
    for (index, item) in cases.enumerated() {
      if item.unsupported(on: backend) != nil {
        report.count(item) { $0.refused += 1 }
      } else {
        do throws(BackendError) {
          let outcome = try item.outcome(on: backend)
          report.count(item) {
            $0.ran += 1
            $0.failed += outcome.passed ? 0 : 1
            $0.worst = max($0.worst, outcome.error)
          }
          if !outcome.passed { report.failures.append(outcome.detail) }
        } catch {
          report.count(item) { $0.failed += 1 }
          report.failures.append("\(item.name): \(error)")
          if case .deviceLost = error { return report }
        }
      }
      progress(index + 1)
    }
    return report
  }
}
