import FMTrace
import FMCore
import FMRuntime

/// What a model is called in traces: its file's or its server's name, else its type's.
func traceName(of model: any LanguageModel) -> String {
  switch model {
  case is SystemLanguageModel: return "system"
  case let model as LocalLanguageModel: return model.handle.traceName
  case let model as ChatCompletionsLanguageModel: return model.configuration.name
  default: return "\(type(of: model))"
  }
}

/// Tokens that a model's context has, where that is known without loading it.
func traceContextSize(of model: any LanguageModel) -> Int? {
  switch model {
  case let model as SystemLanguageModel: model.handle.loaded?.description.contextLength
  case let model as LocalLanguageModel: model.handle.loaded?.description.contextLength
  default: nil
  }
}

extension EngineHandle {
  /// The file's name without its folder.
  fileprivate var traceName: String {
    guard case .reference(let reference) = source else { return "system" }
    return reference.split(separator: "/").last.map(String.init) ?? reference
  }
}

/// A tool call's arguments as a trace has them: fingerprints, which tell repeats from other calls.
struct ArgumentFacts {
  private var words: [String] = []
  private var numbers: [String] = []
  private let json: String

  init(_ arguments: GeneratedContent) {
    json = arguments.jsonString
    collect(arguments)
  }

  /// Names of arguments do not count: they are the same in every call.
  private mutating func collect(_ content: GeneratedContent) {
    switch content.value {
    case .string(let text): words.append(text)
    case .number, .bool: numbers.append(content.jsonString)
    case .array(let elements): for element in elements { collect(element) }
    case .structure(let members): for value in members.values { collect(value) }
    case .null: break
    }
  }

  var attributes: [TraceAttribute] {
    let fingerprint = ContentFingerprint.process
    var result = [
      TraceAttribute("arguments", .name(fingerprint.hash(json))),
      TraceAttribute("arguments_bytes", .count(json.utf8.count)),
    ]
    if let sketch = fingerprint.sketch(words.joined(separator: " ")) {
      result.append(TraceAttribute("arguments_sketch", .name(sketch)))
    }
    if !numbers.isEmpty {
      result.append(
        TraceAttribute(
          "arguments_numbers", .name(fingerprint.hash(numbers.joined(separator: " ")))))
    }
    return result
  }
}
