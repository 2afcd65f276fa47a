import FMTrace

/// A habit that a review finds, and the form of the same work without it: a file of the pathology set.
package struct PathologyPair: Sendable, Hashable, Codable {
  package var name: String
  package var title: String
  package var before: Form
  package var after: Form

  /// What an application does: sessions with tools, requests, and what its model answers.
  package struct Form: Sendable, Hashable, Codable {
    /// How many findings of each question a review has; questions that are not named have none.
    package var finds: [String: Int]
    /// Whether texts are recorded; false when absent.
    package var recordsContent: Bool?
    package var action: Action?
    package var tools: [Tool]?
    package var sessions: [Session]
    package var requests: [Request]
  }

  /// The user's action that all requests belong to, and the calls of tools it declares.
  package struct Action: Sendable, Hashable, Codable {
    package var name: String
    /// Absent, anything is expected; empty, no call is.
    package var expects: [Expectation]?
  }

  /// What ``FMTrace/ExpectedCall`` says.
  package struct Expectation: Sendable, Hashable, Codable {
    package var tool: String
    package var least: Int?
    package var most: Int?
    package var about: String?
    package var mostWords: Int?
  }

  /// A canned tool.
  package struct Tool: Sendable, Hashable, Codable {
    package var name: String
    package var description: String
    package var arguments: [Argument]
    package var output: Text
    /// How long a call takes: the recorded clock leaps as far, nobody waits.
    package var milliseconds: Double?
    /// Calls with new arguments that are answered; the rest get an empty text.
    ///
    /// Any number when absent.
    package var budget: Int?
  }

  /// A text or a number that a tool takes, or a field of a structured answer.
  package struct Argument: Sendable, Hashable, Codable {
    package var name: String
    package var description: String?
    /// `text` when absent, or `number`.
    package var type: String?
  }

  /// A session by name, made when a request first names it.
  package struct Session: Sendable, Hashable, Codable {
    package var name: String
    package var instructions: Text?
    package var tools: [String]?
  }

  /// A request, or several alike.
  package struct Request: Sendable, Hashable, Codable {
    package var session: String
    package var prompt: Text
    /// The prompt as it is typed: a request for every so many characters of it, each with all so far.
    package var typedEvery: Int?
    /// Whether the session is a new one, for every request of these; false when absent.
    package var fresh: Bool?
    /// Time that passes before, as with a tool.
    package var pauseMilliseconds: Double?
    /// The fields of a structured answer; text when absent.
    package var schema: [Argument]?
    package var schemaInPrompt: Bool?
    /// What the model says, call by call; the last one is no call of tools.
    package var answers: [Answer]
  }

  /// What the model says in one call: a text, fields of a structured answer, or calls of tools.
  package struct Answer: Sendable, Hashable, Codable {
    package var text: String?
    package var fields: [String: Binding]?
    package var calls: [Call]?
  }

  /// A call of a tool.
  package struct Call: Sendable, Hashable, Codable {
    package var tool: String
    package var arguments: [String: Binding]
  }

  /// A text, as a string or as an object that puts records of the suite's behind it.
  package struct Text: Sendable, Hashable, Codable {
    package var text: String
    /// How many made-up records follow.
    package var records: Int

    private enum Keys: String, CodingKey { case text, records }

    /// Reads a string, or an object with `text` and `records`.
    package init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        (self.text, records) = (text, 0)
      } else {
        let container = try decoder.container(keyedBy: Keys.self)
        text = try container.decode(String.self, forKey: .text)
        records = try container.decode(Int.self, forKey: .records)
      }
    }

    /// Writes what ``init(from:)`` reads.
    package func encode(to encoder: any Encoder) throws {
      if records == 0 {
        var container = encoder.singleValueContainer()
        try container.encode(text)
      } else {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(text, forKey: .text)
        try container.encode(records, forKey: .records)
      }
    }
  }
}

/// Checks a pair for what its form alone does not forbid.
struct PathologyCheck {
  /// Records of one text, and requests of one form, beyond which a file is refused.
  private static let limit = 1000

  let pair: PathologyPair

  func run() throws(SuiteError) {
    for (place, form) in [("before", pair.before), ("after", pair.after)] {
      try check(form, place)
    }
    try require(!pair.before.finds.isEmpty, "before: it has no habit to find")
    try require(pair.after.finds.isEmpty, "after: it is to have no finding")
  }

  private func check(_ form: PathologyPair.Form, _ place: String) throws(SuiteError) {
    for name in form.finds.keys.sorted() {
      try require(ReviewQuestion(rawValue: name) != nil, "\(place): no review asks '\(name)'")
      try require((form.finds[name] ?? 0) > 0, "\(place): \(name) is found less than once")
    }
    let tools = (form.tools ?? []).map(\.name)
    try require(Set(tools).count == tools.count, "\(place): two tools have the same name")
    for tool in form.tools ?? [] {
      try checkTime(tool.milliseconds, "\(place): tool '\(tool.name)'")
      try checkText(tool.output, "\(place): tool '\(tool.name)'")
      try check(tool.arguments, "\(place): tool '\(tool.name)'")
    }
    let sessions = form.sessions.map(\.name)
    try require(Set(sessions).count == sessions.count, "\(place): two sessions have the same name")
    for session in form.sessions {
      if let text = session.instructions { try checkText(text, "\(place): \(session.name)") }
      for tool in session.tools ?? [] {
        try require(tools.contains(tool), "\(place): there is no tool '\(tool)'")
      }
    }
    try require(!form.requests.isEmpty, "\(place): it has no request")
    var count = 0
    for request in form.requests {
      try require(sessions.contains(request.session), "\(place): no session '\(request.session)'")
      try check(request, place)
      try require(
        request.typedEvery == nil || request.prompt.records == 0,
        "\(place): records are not typed")
      count += request.promptCount
    }
    try require(count <= Self.limit, "\(place): more than \(Self.limit) requests")
  }

  private func check(_ request: PathologyPair.Request, _ place: String) throws(SuiteError) {
    try checkTime(request.pauseMilliseconds, "\(place): a pause")
    try checkText(request.prompt, "\(place): a prompt")
    try require((request.typedEvery ?? 1) > 0, "\(place): typed by less than a character")
    try check(request.schema ?? [], "\(place): a schema")
    for (number, answer) in request.answers.enumerated() {
      let kinds = [answer.text != nil, answer.fields != nil, answer.calls != nil]
      try require(
        kinds.count { $0 } == 1, "\(place): an answer is a text, fields or calls, and one of them")
      let isLast = number == request.answers.count - 1
      try require(isLast == (answer.calls == nil), "\(place): only the last answer calls no tool")
    }
    try require(!request.answers.isEmpty, "\(place): a request has no answer")
  }

  private func check(_ arguments: [PathologyPair.Argument], _ what: String) throws(SuiteError) {
    for argument in arguments {
      try require(
        ["text", "number", nil].contains(argument.type),
        "\(what): '\(argument.name)' is no text and no number")
    }
  }

  private func checkTime(_ milliseconds: Double?, _ what: String) throws(SuiteError) {
    let time = milliseconds ?? 0
    try require(time >= 0 && time <= 3_600_000, "\(what) takes no time of 0 to 3,600,000 ms")
  }

  private func checkText(_ text: PathologyPair.Text, _ what: String) throws(SuiteError) {
    try require(
      (0...Self.limit).contains(text.records), "\(what) has no 0 to \(Self.limit) records")
  }

  private func require(_ holds: Bool, _ reason: String) throws(SuiteError) {
    guard holds else { throw .invalid(scenario: pair.name, reason: reason) }
  }
}

extension PathologyPair.Request {
  /// How many requests it is, by the length of what is typed.
  var promptCount: Int {
    guard let step = typedEvery, step > 0 else { return 1 }
    let length = prompt.text.unicodeScalars.count
    return 1 + (length - min(step, length)) / step
  }

  /// The prompts of its requests, in order; `records` makes so many of them.
  func prompts(records: (Int) -> String) -> [String] {
    let whole = prompt.text + records(prompt.records)
    guard let step = typedEvery, step > 0 else { return [whole] }
    let scalars = Array(whole.unicodeScalars)
    return stride(from: min(step, scalars.count), through: scalars.count, by: step).map { end in
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[..<end])
      return String(text)
    }
  }
}
