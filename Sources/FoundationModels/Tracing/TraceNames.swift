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
