import FMTestSupport
import FMText
import Foundation

/// A folder of `*.jinja` with the `goldens.json` that template_goldens.py wrote for them.
struct TemplateGoldens {
  struct Report {
    var equalTexts = 0
    /// Conversations that both sides refuse.
    var refusals = 0
    var differences: [String] = []
  }

  /// Where fetch_templates.sh puts published templates, when it has run.
  static var cache: URL? {
    let folder = Fixtures.folder().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Benchmarks/.cache/templates")
    let goldens = folder.appending(path: "goldens.json").path
    return FileManager.default.fileExists(atPath: goldens) ? folder : nil
  }

  /// What the goldens were made with.
  static let date = TemplateDate(year: 2024, month: 7, day: 26, hour: 13, minute: 5, second: 9)

  private let folder: URL
  private let conversations: TemplateObject
  private let goldens: [TemplateValue]

  init(folder: URL) throws {
    self.folder = folder
    let text = try String(contentsOf: folder.appending(path: "goldens.json"), encoding: .utf8)
    guard case .object(let root) = try TemplateValue(json: text),
      case .object(let conversations)? = root["conversations"],
      case .array(let goldens)? = root["goldens"]
    else { throw CocoaError(.fileReadCorruptFile) }
    self.conversations = conversations
    self.goldens = goldens
  }

  func compare() throws -> Report {
    var report = Report()
    var templates: [String: Result<ChatTemplate, TemplateError>] = [:]
    for golden in goldens {
      guard case .object(let golden) = golden, case .string(let name)? = golden["template"],
        case .string(let conversation)? = golden["conversation"],
        case .object(let variables)? = conversations[conversation]
      else { throw CocoaError(.fileReadCorruptFile) }
      if templates[name] == nil {
        let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        templates[name] = Result { () throws(TemplateError) in try ChatTemplate(source: source) }
      }
      let rendering = Result { () throws(TemplateError) in
        try templates[name]?.get().render(variables: variables, date: Self.date).bytes
      }
      switch (golden["text"], rendering) {
      case (.string(let expected)?, .success(let bytes?)) where Array(expected.utf8) == bytes:
        report.equalTexts += 1
      case (nil, .failure):
        report.refusals += 1
      case (_, .failure(let error)):
        report.differences.append("\(name), \(conversation): \(error)")
      default:
        report.differences.append("\(name), \(conversation): other text")
      }
    }
    return report
  }
}
