import Foundation
import Testing

@testable import FMGrammar

/// The public JSON-Schema-Test-Suite, draft 2020-12: its mandatory tests.
enum JSONSchemaSuite {
  /// Where `Benchmarks/oracle/fetch_schema_suite.sh` puts it; nil when it is not there.
  static var folder: URL? {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let folder = root.appending(path: "Benchmarks/.cache/schema-suite/draft2020-12")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }

  struct Group {
    var file: String
    var description: String
    var schema: JSONValue
    var tests: [(description: String, value: JSONValue, isValid: Bool)]
  }

  static func groups() throws -> [Group] {
    guard let folder else { return [] }
    var groups: [Group] = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where file.hasSuffix(".json") {
      let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
      guard case .array(let items) = try SchemaReader.value(of: bytes) else { continue }
      for item in items {
        guard let schema = item["schema"], case .array(let tests)? = item["tests"] else { continue }
        let cases = tests.compactMap { test -> (String, JSONValue, Bool)? in
          guard let value = test["data"], case .boolean(let isValid)? = test["valid"] else {
            return nil
          }
          return (test["description"]?.text ?? "", value, isValid)
        }
        groups.append(
          Group(
            file: file, description: item["description"]?.text ?? "", schema: schema, tests: cases))
      }
    }
    return groups
  }

  struct Report {
    var groups = 0
    var refused: [String] = []
    var cases = 0
    var wronglyAccepted: [String] = []
    var wronglyRejected: [String: [String]] = [:]
    /// Where the matcher and the recognizer do not agree.
    var disagreements: [String] = []
  }

  static func report(_ options: JSONSchema.Options) throws -> Report {
    var report = Report()
    for group in try groups() {
      report.groups += 1
      let name = "\(group.file): \(group.description)"
      let grammar: Grammar
      do throws(GrammarError) {
        grammar = try JSONSchema(value: group.schema).grammar(options)
      } catch {
        // That nothing is valid is an answer, not a refusal.
        if case .empty = error, group.tests.allSatisfy({ !$0.isValid }) {
          report.cases += group.tests.count
        } else {
          report.refused.append("\(name): \(error)")
        }
        continue
      }
      let compiled = try MatcherAcceptance.compiled(grammar)
      for test in group.tests {
        report.cases += 1
        var isAccepted = false
        for spelling in JSONInstance(value: test.value).spellings() {
          let isAllowed = GrammarRecognizer.accepts(grammar, spelling)
          if isAllowed != MatcherAcceptance.accepts(compiled, spelling) {
            report.disagreements.append("\(name): \(String(decoding: spelling, as: UTF8.self))")
          }
          isAccepted = isAccepted || isAllowed
        }
        if isAccepted, !test.isValid {
          report.wronglyAccepted.append("\(name): \(test.description)")
        }
        if !isAccepted, test.isValid {
          report.wronglyRejected[group.file, default: []].append(
            "\(group.description): \(test.description)")
        }
      }
    }
    return report
  }
}

@Suite(
  .enabled(if: JSONSchemaSuite.folder != nil, "run Benchmarks/oracle/fetch_schema_suite.sh"))
struct JSONSchemaSuiteTests {
  @Test func `no invalid instance of the public suite is accepted`() throws {
    let report = try JSONSchemaSuite.report(.init(undeclaredProperties: .open))
    #expect(report.groups > 300)
    #expect(report.wronglyAccepted == [])
    #expect(report.disagreements == [])
    let refused = report.refused.joined(separator: "\n")
    #expect(report.refused.count * 100 <= report.groups * 15, "\(refused)")
    let rejected = report.wronglyRejected.values.map(\.count).reduce(0, +)
    #expect(rejected * 100 <= report.cases * 15)
    if ProcessInfo.processInfo.environment["FM_SUITE_REPORT"] != nil {
      print("groups \(report.groups), refused \(report.refused.count), cases \(report.cases)")
      print(refused)
      for (file, tests) in report.wronglyRejected.sorted(by: { $0.key < $1.key }) {
        print("\(file): \(tests.count) valid instances rejected")
        for test in tests { print("    \(test)") }
      }
    }
  }

  @Test func `no invalid instance of the public suite is accepted with closed objects`() throws {
    let report = try JSONSchemaSuite.report(.init(undeclaredProperties: .closed))
    #expect(report.wronglyAccepted == [])
    #expect(report.disagreements == [])
    #expect(report.refused.count * 100 <= report.groups * 15)
  }
}
