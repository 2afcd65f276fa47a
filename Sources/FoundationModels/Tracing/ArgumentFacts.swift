import FMCore
import FMTrace

/// A tool call's arguments as a trace has them: fingerprints and counts, which tell repeats from other
/// calls and short phrases from whole questions.
struct ArgumentFacts {
  private var texts: [String] = []
  private var numbers: [String] = []
  /// Words of the longest text whose guide asks for a short one, and of the longest question that nothing
  /// asks for; nil where there is none.
  private var phraseWords: Int?
  private var questionWords: Int?
  private let json: String

  /// Guides with one of these words ask for a short text.
  private static let shortWords: Set<String> = [
    "short", "brief", "phrase", "keyword", "keywords", "term", "terms",
  ]
  /// Guides, descriptions and names with one of these words expect sentences.
  private static let sentenceWords: Set<String> = [
    "question", "questions", "ask", "asks", "message", "text", "prompt", "sentence", "body",
  ]

  /// The facts of a call; `definition` is that of the tool, nil for a tool that does not exist.
  init(_ arguments: GeneratedContent, _ definition: Transcript.ToolDefinition?) {
    json = arguments.jsonString
    collect(arguments)
    if let definition { compare(arguments, with: definition) }
  }

  /// Names of arguments do not count: they are the same in every call.
  private mutating func collect(_ content: GeneratedContent) {
    switch content.value {
    case .string(let text): texts.append(text)
    case .number, .bool: numbers.append(content.jsonString)
    case .array(let elements): for element in elements { collect(element) }
    case .structure(let members): for value in members.values { collect(value) }
    case .null: break
    }
  }

  /// Holds the texts among the arguments against what their guides ask for.
  private mutating func compare(
    _ arguments: GeneratedContent, with definition: Transcript.ToolDefinition
  ) {
    guard case .structure(let members) = arguments.value,
      case .object(let object) = definition.parameters.resolved.node
    else { return }
    let purpose = Self.words(definition.description)
    for (name, value) in zip(members.keys, members.values) {
      guard case .string(let text) = value.value,
        let property = object.properties.first(where: { $0.name == name })
      else { continue }
      let guide = Self.words(property.description ?? "")
      let count = Self.words(text).count
      if !Self.shortWords.isDisjoint(with: guide) {
        phraseWords = max(phraseWords ?? 0, count)
      } else if Self.isQuestion(text),
        Self.sentenceWords.isDisjoint(with: guide + purpose + Self.words(name))
      {
        questionWords = max(questionWords ?? 0, count)
      }
    }
  }

  private static func isQuestion(_ text: String) -> Bool {
    guard let last = text.unicodeScalars.last(where: { !$0.properties.isWhitespace }) else {
      return false
    }
    return last == "?" || last == "\u{FF1F}" || last == "\u{61F}"
  }

  /// The words of a text in lower case: what stands between anything but letters, marks and digits.
  private static func words(_ text: String) -> [String] {
    text.lowercased().unicodeScalars.split { scalar in
      !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
    }.map { String(String.UnicodeScalarView($0)) }
  }

  var attributes: [TraceAttribute] {
    let fingerprint = ContentFingerprint.process
    var result = [
      TraceAttribute("arguments", .name(fingerprint.hash(json))),
      TraceAttribute("arguments_bytes", .count(json.utf8.count)),
      TraceAttribute(
        "arguments_words", .count(texts.map { Self.words($0).count }.max() ?? 0)),
    ]
    let text = texts.joined(separator: " ")
    if let sketch = fingerprint.sketch(text) {
      result += [
        TraceAttribute("arguments_sketch", .name(sketch)),
        TraceAttribute("arguments_trigrams", .count(ContentFingerprint.trigramCount(text))),
      ]
    }
    if !numbers.isEmpty {
      result.append(
        TraceAttribute(
          "arguments_numbers", .name(fingerprint.hash(numbers.joined(separator: " ")))))
    }
    if let phraseWords { result.append(TraceAttribute("phrase_words", .count(phraseWords))) }
    if let questionWords { result.append(TraceAttribute("question_words", .count(questionWords))) }
    return result
  }
}
