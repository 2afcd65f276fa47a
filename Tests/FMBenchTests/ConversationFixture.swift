import FMBackend
import FMBench
import FMCore
import FMEngine
import FMRuntime
import FMTestSupport
import FMText
import FoundationModels
import Synchronization
import Testing

/// What conversations are played on in tests, and how.
enum ConversationFixture {
  /// A model of meaningless words on a scripted executor, with a tokenizer of bytes.
  static func loaded() throws -> LoadedModel {
    let tokenizer = try TinyTokenizer.byteLevelTokenizer()
    let context = 1 << 15
    let executor = ScriptedExecutor(
      vocabularySize: tokenizer.vocabularySize, contextLength: context,
      blockCounts: [8 * context / KVLayout.blockTokens]
    ) { seen, _ in
      // Letters that no merge joins, so that an answer's text has the answer's tokens.
      var logits = [Float](repeating: 0, count: tokenizer.vocabularySize)
      logits[3 + Int(Array("qzxj".utf8)[seen[0].count % 4])] = 10
      return logits
    }
    return LoadedModel(
      engine: Engine(executor: executor, tokenizer: tokenizer), tokenizer: tokenizer,
      template: try ChatTemplate(source: template), templateOptions: ChatTemplateOptions(),
      description: ModelDescription(
        name: "letters", path: "", architecture: "none", quantization: "none", parameters: 0,
        fileBytes: 0, contextLength: context, vocabularySize: tokenizer.vocabularySize),
      device: StoreFixture.device)
  }

  private static let template = """
    {% for m in messages %}<|im_start|>{{ m.role }}
    {{ m.content }}<|im_end|>
    {% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
    {% endif %}
    """

  /// A session's style with what a test changes.
  static func style(_ change: (inout PlayStyle) -> Void = { _ in }) -> PlayStyle {
    var style = PlayStyle()
    style.level = .session
    style.promptForm = .native
    change(&style)
    return style
  }

  /// Plays one trial of each cell of some scenarios and gives the store.
  static func play(
    _ target: ConversationTarget, _ style: PlayStyle, encoding: any TextEncoding,
    scenarios: [String], states: [CacheState] = [], endpoint: String? = nil,
    transcript: ReplayedTranscript? = nil, into known: BenchStore? = nil
  ) async throws -> (store: BenchStore, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let store = try known ?? BenchStore(writing: folder.path("c.sqlite"))
    var options = RunOptions()
    options.scenarios = scenarios
    options.states = states
    options.transcript = transcript
    options.effort = .trials(1)
    options.gapScale = 0
    let arm = BenchArm(
      target: .conversations(target),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: encoding, style: style, endpoint: endpoint)
    let runner = BenchRunner(
      store: store, arms: [arm], suite: try Suite(folder: Suite.folder(program: nil)),
      options: options)
    let result = try await runner.run(interruption: Interruption()) { _ in }
    #expect(result.status == .finished)
    return (store, folder)
  }
}

/// A model of somebody else's: a server that sends a piece a token, and counts as a test wants it to.
struct PieceModel: LanguageModel {
  /// What the server does.
  struct Behaviour: Hashable, Sendable {
    /// Pieces fewer than asked for.
    var missing = 0
    var reportsUsage = true
    var reportsCache = false
    /// Prompt tokens said beyond those counted.
    var extraPrompt = 0
    /// Never answers, until the request is cancelled.
    var hangs = false
  }

  var behaviour: Behaviour
  let log: PromptLog
  /// Called when a request has come.
  var began: @Sendable () -> Void = {}

  var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([]) }
  var executorConfiguration: Behaviour { behaviour }

  /// Transcripts that were asked, and whether with tools or a schema.
  final class PromptLog: Sendable {
    private let state = Mutex<[LanguageModelExecutorGenerationRequest]>([])
    var requests: [LanguageModelExecutorGenerationRequest] { state.withLock { $0 } }
    func add(_ request: LanguageModelExecutorGenerationRequest) {
      state.withLock { $0.append(request) }
    }
  }

  /// Tokens of a prompt: its bytes.
  static func count(_ transcript: Transcript) -> Int {
    transcript.reduce(0) { $0 + $1.description.utf8.count }
  }

  struct Executor: LanguageModelExecutor {
    let behaviour: Behaviour

    init(configuration: Behaviour) throws { behaviour = configuration }

    func respond(
      to request: LanguageModelExecutorGenerationRequest, model: PieceModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      model.log.add(request)
      model.began()
      if behaviour.hangs { return try await Task.sleep(for: .seconds(3600)) }
      var pieces = 5
      if case .natural(let count)? = AnswerScript.current?.output { pieces = count }
      pieces -= behaviour.missing
      for _ in 0..<pieces {
        await channel.send(.response(action: .appendText("word ", tokenCount: 1)))
      }
      let prompt = PieceModel.count(request.transcript) + behaviour.extraPrompt
      AnswerScript.current?.observe(
        .server(
          promptTokens: behaviour.reportsUsage ? prompt : nil,
          cachedTokens: behaviour.reportsCache ? prompt - 1 : nil,
          outputTokens: behaviour.reportsUsage ? pieces : nil))
    }
  }
}
