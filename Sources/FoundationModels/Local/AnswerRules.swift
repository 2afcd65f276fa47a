import FMEngine
import FMGrammar
import FMRuntime
import FMText
import Synchronization

/// Grammars of answers made ready for a model, by what they were made of.
final class AnswerGrammars: Sendable {
  /// A grammar, with the masks of the text that it begins with, if any.
  struct Prepared: Sendable {
    var grammar: CompiledGrammar
    var text: FreeTextMasks?

    /// The constraint of one answer.
    func constraint(
      ending: GenerationConstraint.Ending, tokenizer: Tokenizer
    ) -> GenerationConstraint {
      let (grammar, text) = (grammar, text)
      return GenerationConstraint(ending: ending) {
        if let text {
          FreeTextConstraint(grammar, masks: text, tokenizer: tokenizer)
        } else {
          GrammarConstraint(grammar, tokenizer: tokenizer)
        }
      }
    }
  }

  private struct State {
    var grammars: [String: Prepared] = [:]
    var order: [String] = []
  }

  /// Grammars kept, those made first forgotten first.
  private static let limit = 32

  private let state = Mutex(State())

  /// The grammar of some rules; made when nobody asked for it before.
  ///
  /// - Throws: `GrammarError` for a schema that can't be enforced.
  func grammar(of rules: AnswerRules, for model: LoadedModel) throws -> Prepared {
    let key = rules.key
    if let known = state.withLock({ $0.grammars[key] }) { return known }
    let grammar = Prepared(
      grammar: try model.grammars.compiled(try rules.grammar()), text: rules.text)
    state.withLock { state in
      if state.grammars.updateValue(grammar, forKey: key) == nil { state.order.append(key) }
      if state.order.count > Self.limit { state.grammars[state.order.removeFirst()] = nil }
    }
    return grammar
  }
}

/// What an answer may be, as a request asks for it.
struct AnswerRules {
  private let form: ToolCallForm
  private let schema: GenerationSchema?
  private let tools: [Transcript.ToolDefinition]
  private let isCallRequired: Bool
  /// The most calls of an answer.
  private let callLimit: Int

  /// Nil where any text will do.
  init?(_ request: LanguageModelExecutorGenerationRequest, convention: ToolConvention) {
    form = convention.call
    schema = request.schema
    tools = request.enabledToolDefinitions
    isCallRequired = request.generationOptions.toolCallingMode?.kind == .required
    // A model that never learned to call tools does not know when it has called enough.
    callLimit =
      isCallRequired && !convention.isNative
      ? min(tools.count, ToolCallGrammar.callLimit) : ToolCallGrammar.callLimit
    if schema == nil, tools.isEmpty { return nil }
  }

  /// Whether the answer may be a call.
  var hasTools: Bool { !tools.isEmpty }

  /// All that the grammar depends on beside the model.
  var key: String {
    var parts = [isCallRequired ? "required" : "allowed", schema?.exactText ?? "text"]
    for tool in tools { parts += [tool.name, tool.parameters.exactText] }
    return parts.map { "\($0.utf8.count) \($0)" }.joined()
  }

  /// The text that an answer may be, with the masks of its places yet to be made; nil if it may be none.
  var text: FreeTextMasks? {
    guard !isCallRequired, schema == nil else { return nil }
    let (automaton, isPlace) = ToolCallGrammar.text(form: form, names: tools.map(\.name))
    return FreeTextMasks(automaton: automaton, isPlace: isPlace)
  }

  /// The grammar of an answer.
  ///
  /// - Throws: `GrammarError` for a schema that can't be enforced.
  func grammar() throws -> Grammar {
    let structure = try schema.map { try JSONSchema(text: $0.exactText).grammar() }
    if tools.isEmpty, let structure { return structure }
    let answer: ToolCallGrammar.Answer =
      isCallRequired ? .calls : structure.map { .grammar($0) } ?? .text
    return ToolCallGrammar.grammar(
      form: form,
      tools: try tools.map {
        ToolCallGrammar.Tool(name: $0.name, arguments: try Self.arguments(of: $0))
      }, answer: answer, callLimit: callLimit)
  }

  /// The grammar of a tool's arguments.
  ///
  /// - Throws: ``LanguageModelError/unsupportedGenerationGuide(_:)`` that names the tool: it would be
  ///   called with what its schema forbids.
  private static func arguments(of tool: Transcript.ToolDefinition) throws -> Grammar {
    do {
      return try JSONSchema(text: tool.parameters.exactText).grammar()
    } catch {
      throw LanguageModelError.unsupportedGenerationGuide(
        LanguageModelError.UnsupportedGenerationGuide(
          schemaName: tool.parameters.name,
          debugDescription: "arguments of the tool '\(tool.name)': \(error)"))
    }
  }
}
