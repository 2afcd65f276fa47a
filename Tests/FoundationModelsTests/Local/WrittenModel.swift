import FMBackend
import FMCore
import FMEngine
import FMRuntime
import FMTestSupport
import FMText
import FoundationModels
import Synchronization
import Testing

/// A model on this machine whose answers are written down: a real engine on an executor that knows them.
///
/// Answers come one byte a token, but for what a grammar forces. Which one comes next follows from how many answers the prompt has.
struct WrittenModel {
  /// What the engine was asked to continue.
  final class Log: Sendable {
    private struct Prompt {
      var text: String
      var tokens: Int
      var controlTokens: Int
    }

    private let state = Mutex<[Prompt]>([])

    /// The prompts as text, control tokens spelled.
    var prompts: [String] { state.withLock { $0.map(\.text) } }
    /// How many tokens each prompt has.
    var tokenCounts: [Int] { state.withLock { $0.map(\.tokens) } }
    /// How many control tokens each prompt has.
    var controlTokens: [Int] { state.withLock { $0.map(\.controlTokens) } }

    fileprivate func add(_ text: String, tokens: Int, controlTokens: Int) {
      state.withLock {
        // Every token of an answer is asked for with the same prompt.
        guard $0.last?.text != text else { return }
        $0.append(Prompt(text: text, tokens: tokens, controlTokens: controlTokens))
      }
    }
  }

  let model: LocalLanguageModel
  let log = Log()

  /// A model with this template that gives these answers, the last one again and again.
  init(template source: String, answers: [String], contextLength: Int = 8192) throws {
    let tokenizer = try TinyTokenizer.byteLevelTokenizer()
    let template = try ChatTemplate(source: source)
    let header = try Self.header(of: template)
    let texts = answers.map { Array($0.utf8) }
    let blocks = contextLength / KVLayout.blockTokens
    let log = log
    let executor = ScriptedExecutor(
      vocabularySize: tokenizer.vocabularySize, contextLength: contextLength,
      blockCounts: [4 * blocks]
    ) { seen, _ in
      let history = tokenizer.decode(seen[0], includingSpecial: true, isContinuation: true)
      var logits = [Float](repeating: 0, count: tokenizer.vocabularySize)
      let starts = Self.ends(of: header, in: history)
      guard let start = starts.last else { return logits }
      let said = history.count - start
      var answered = 0
      var tokens = seen[0].count
      while answered < said {
        tokens -= 1
        answered += tokenizer.bytes(of: seen[0][tokens]).count
      }
      log.add(
        String(decoding: history[..<start], as: UTF8.self), tokens: tokens,
        controlTokens: seen[0][..<tokens].count { tokenizer.isControl($0) })
      let text = texts[min(starts.count, texts.count) - 1]
      logits[said < text.count ? Self.token(text[said]) : Self.end] = 10
      return logits
    }
    model = LocalLanguageModel(
      LoadedModel(
        engine: Engine(executor: executor, tokenizer: tokenizer), tokenizer: tokenizer,
        template: template,
        templateOptions: ChatTemplateOptions(),
        description: ModelDescription(
          name: "written", path: "", architecture: "written", quantization: "none", parameters: 0,
          fileBytes: 0, contextLength: contextLength,
          vocabularySize: tokenizer.vocabularySize),
        device: DeviceDescription(selector: "written", name: "written", kind: .cpu, details: [])))
  }

  private static let end = 2

  private static func token(_ byte: UInt8) -> Int { 3 + Int(byte) }

  /// What the template puts before an answer.
  private static func header(of template: ChatTemplate) throws -> [UInt8] {
    let message = [ChatMessage(.user, "x")]
    let plain = try template.render(
      message, options: ChatTemplateOptions(addGenerationPrompt: false))
    return Array(try template.render(message).bytes.dropFirst(plain.bytes.count))
  }

  /// The offset after each occurrence of a pattern.
  private static func ends(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard bytes.count >= pattern.count else { return [] }
    return (pattern.count...bytes.count).filter {
      bytes[$0 - 1] == pattern[pattern.count - 1]
        && bytes[($0 - pattern.count)..<$0].elementsEqual(pattern)
    }
  }
}

/// Chat templates in the forms of published ones, and calls as their models write them.
struct ToolTemplate: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var source: String
  /// What stands around a call, and the key of its arguments.
  var opener: String
  var closer: String
  var key: String
  var allowsSeveral = true

  /// A call as the model writes it.
  func call(_ name: String, _ arguments: String) -> String {
    #"\#(opener){"name": "\#(name)", "\#(key)": \#(arguments)}\#(closer)"#
  }

  static let all = [hermes, llama, generic]

  /// Qwen's: definitions between tags, calls between tags, outputs in the user's turn.
  static let hermes = ToolTemplate(
    testDescription: "Hermes",
    source: """
      {%- if tools %}{{ '<|im_start|>system\\n' }}{{ messages[0].content if messages[0].role == 'system' }}
      {{- '\\n<tools>' }}{% for tool in tools %}{{ '\\n' + (tool | tojson) }}{% endfor %}
      {{- '\\n</tools><|im_end|>\\n' }}{%- elif messages[0].role == 'system' %}
      {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{% endif %}
      {%- for m in messages %}{%- if m.role == 'assistant' and m.tool_calls %}
      {{- '<|im_start|>assistant' }}{% if m.content %}{{ '\\n' + m.content }}{% endif %}
      {%- for c in m.tool_calls %}{{- '\\n<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' }}
      {{- c.function.arguments | tojson }}{{ '}\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}
      {%- elif m.role == 'tool' %}
      {%- if messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
      {{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
      {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
      {%- elif m.role != 'system' %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
      {%- endif %}{%- endfor %}
      {%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
      """,
    opener: "<tool_call>\n", closer: "\n</tool_call>", key: "arguments")

  /// Llama 3's: one call, which is the whole answer.
  static let llama = ToolTemplate(
    testDescription: "Llama 3",
    source: """
      {%- for m in messages %}{{- '<|im_start|>' + ('ipython' if m.role == 'tool' else m.role) + '\\n' }}
      {%- if m.role == 'system' and tools %}{% for tool in tools %}{{ tool | tojson + '\\n' }}{% endfor %}
      {%- endif %}{%- if m.tool_calls %}
      {%- if m.tool_calls | length != 1 %}{{ raise_exception('one call at a time') }}{% endif %}
      {%- set call = m.tool_calls[0].function %}
      {{- '{"name": "' + call.name + '", "parameters": ' + (call.arguments | tojson) + '}' }}
      {%- else %}{{ m.content | trim }}{% endif %}{{ '<|im_end|>' }}{%- endfor %}
      {%- if tools and messages[0].role != 'system' %}{{ tools | tojson }}{% endif %}
      {%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
      """,
    opener: "", closer: "", key: "parameters", allowsSeveral: false)

  /// SmolLM2's: no word of tools.
  static let generic = ToolTemplate(
    testDescription: "no tools", source: TinyTokenizer.chatTemplate,
    opener: "<tool_call>\n", closer: "\n</tool_call>", key: "arguments")
}
