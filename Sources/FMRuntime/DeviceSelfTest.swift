package import FMBackend
package import FMCore
package import FMOpCases

/// Runs op cases on a user's device: cheap insurance against faults of drivers.
package struct DeviceSelfTest: Sendable {
  /// What a run found.
  package struct Report: Sendable, Hashable {
    /// Cases that ran, and cases the device refused as unsupported.
    package var ran: Int
    package var refused: Int
    /// What went wrong, a line each, in the order of the cases.
    package var failures: [String]

    package init(ran: Int = 0, refused: Int = 0, failures: [String] = []) {
      self.ran = ran
      self.refused = refused
      self.failures = failures
    }
  }

  /// The cases, in the order they run.
  package var cases: [OpCase]

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
        report.refused += 1
      } else {
        do throws(BackendError) {
          let outcome = try item.outcome(on: backend)
          report.ran += 1
          if !outcome.passed { report.failures.append(outcome.detail) }
        } catch {
          report.failures.append("\(item.name): \(error)")
          if case .deviceLost = error { return report }
        }
      }
      progress(index + 1)
    }
    return report
  }
}
