package import FMCore

/// What a review of a trace asks.
package enum ReviewQuestion: String, Sendable, CaseIterable {
  case promptBloat, transcriptGrowth, repeatedCalls, slowToolOrModel, lateHandOff, schemaResent
  case newSessionPerTurn, sensitiveContent, unexpectedTool, longArguments, unusedTools

  /// The question in a few words.
  package var title: String {
    switch self {
    case .promptBloat: "Does a prompt or a tool's output fill the context?"
    case .transcriptGrowth: "Does a transcript grow towards the end of its window?"
    case .repeatedCalls: "Is a tool called again with nearly the same arguments?"
    case .slowToolOrModel: "Where does the time go: tools or the model?"
    case .lateHandOff: "Does work go from session to session in time?"
    case .schemaResent: "Is a schema sent again that the session has seen?"
    case .newSessionPerTurn: "Is there a new session for every turn?"
    case .sensitiveContent: "Is there content that should not be shared?"
    case .unexpectedTool: "Is another tool called than expected, or otherwise?"
    case .longArguments: "Are whole questions passed where short phrases would do?"
    case .unusedTools: "Are tools described that nobody calls?"
    }
  }

  /// What to do where the answer is yes.
  package var advice: String {
    switch self {
    case .promptBloat:
      "Put less into the prompt: let the model fetch what it needs with a tool that returns little."
    case .transcriptGrowth:
      "Start a session with a condensed transcript, or split the work over sessions, before it is full."
    case .repeatedCalls:
      "Say in the instructions when to stop, give the tool a budget, and answer repeats from a cache."
    case .slowToolOrModel:
      "For a tool: cache, narrow or time out its work. For the model: prewarm, shorten the prompt, "
        + "ask for less, or use a faster device."
    case .lateHandOff:
      "Make and prewarm the next session while the first one finishes, and hand over a short text."
    case .schemaResent:
      "Leave the schema out of later prompts of the session (includeSchemaInPrompt: false)."
    case .newSessionPerTurn:
      "Keep one session a conversation: its prefix stays cached. Prewarm where one must be new."
    case .sensitiveContent:
      "Record without content, or with patterns of your own to redact, before the trace is shared."
    case .unexpectedTool:
      "Name in the instructions when each tool is to be called, and offer a step only the tools it needs."
    case .longArguments:
      "Ask for a short phrase in the argument's guide, and give an example of one in the instructions."
    case .unusedTools:
      "Offer each session the tools its step needs; every description is read with every prompt."
    }
  }
}

/// One thing a review found, with its evidence.
package struct Finding: Sendable, Hashable {
  package var question: ReviewQuestion
  /// What was seen, in one sentence.
  package var message: String
  /// The spans it was seen in.
  package var spans: [SpanID]
  /// The numbers behind it, in a fixed order.
  package var numbers: [TraceAttribute]

  /// A finding by its parts.
  package init(
    _ question: ReviewQuestion, _ message: String, spans: [SpanID], numbers: [TraceAttribute]
  ) {
    self.question = question
    self.message = message
    self.spans = spans
    self.numbers = numbers
  }
}

/// What a review says to one question.
package struct ReviewAnswer: Sendable, Hashable {
  /// Whether something was found.
  package enum Outcome: Sendable, Hashable {
    /// Yes: there are findings.
    case found
    /// No, as far as the trace tells.
    case clear
    /// The trace does not tell, and why.
    case unknown(String)
  }

  package var question: ReviewQuestion
  package var outcome: Outcome
  /// The first ``TraceReview/findingLimit``, in the order of time.
  package var findings: [Finding]
  /// Findings beyond the limit.
  package var more: Int
  /// What counts as a finding, in one sentence.
  package var threshold: String
}

/// From when on something is worth telling.
package struct ReviewThresholds: Sendable, Hashable {
  /// Tokens of a context where the trace does not say: what sessions have as a rule.
  package var windowTokens = 4096
  /// The share of the window that one prompt or one tool's output may add.
  package var addedShare = 0.25
  /// The share of the window that a grown transcript may take, and by what factor it has grown then.
  package var grownShare = 0.5
  package var grownFactor = 2.0
  /// Requests of a session before its growth is looked at.
  package var grownRequests = 3
  /// From which similarity on arguments are nearly the same, in 0...1.
  package var similarity = 0.6
  /// Seconds that a request may take.
  package var requestSeconds = 2.0
  /// The share of a request's time that makes a part of it the cause.
  package var dominantShare = 0.5
  /// Seconds to the first token, and tokens a second, from where on a model is slow.
  package var firstTokenSeconds = 1.0
  package var tokensPerSecond = 10.0
  /// Seconds between two sessions' work from where on a hand-off is late, and up to where it is one.
  package var handOffSeconds = 0.5
  package var handOffLimitSeconds = 10.0
  /// The share of its window that a session may have filled when it hands over.
  package var handOffShare = 0.75
  /// Sessions of one request each that make a habit.
  package var sessionCount = 3
  /// The share of their beginnings that such sessions may compute again, and by what factor a prompt
  /// grows that repeats the conversation.
  package var recomputedShare = 0.5
  package var repeatedFactor = 2.0
  /// From which share of the shorter text on a call's words are a variant of another's, in 0...1, and how
  /// many variants make a habit.
  package var containment = 0.8
  package var variantCount = 2
  /// Words of an argument that is to be short.
  package var phraseWords = 8
  /// The share of the window that descriptions of unused tools may take.
  package var unusedShare = 0.1

  /// The defaults.
  package init() {}
}

/// The answers of a trace to all questions, and the numbers that are best looked at one by one.
package struct TraceReview: Sendable {
  /// The most findings of one question that are told.
  package static let findingLimit = 20

  /// In the order of ``ReviewQuestion``.
  package let answers: [ReviewAnswer]
  /// Times and rates, each apart from the others.
  package let numbers: TraceNumbers

  /// Looks through a trace; `expected` is what tools are to be called where the trace itself declares none.
  ///
  /// Linear in the spans but for the comparison of tool calls, which looks back a bounded number.
  package init(
    _ tree: TraceTree, thresholds: ReviewThresholds = ReviewThresholds(),
    redactor: TraceRedactor = .builtIn, expected: [ExpectedCall]? = nil
  ) {
    let facts = ReviewFacts(tree, thresholds)
    numbers = TraceNumbers(facts)
    answers = ReviewQuestion.allCases.map { question in
      switch question {
      case .promptBloat: PromptBloat.answer(facts)
      case .transcriptGrowth: TranscriptGrowth.answer(facts)
      case .repeatedCalls: RepeatedCalls.answer(facts)
      case .slowToolOrModel: SlowParts.answer(facts)
      case .lateHandOff: LateHandOff.answer(facts)
      case .schemaResent: SchemaResent.answer(facts)
      case .newSessionPerTurn: NewSessionPerTurn.answer(facts)
      case .sensitiveContent: SensitiveContent.answer(facts, redactor)
      case .unexpectedTool: UnexpectedTool.answer(facts, expected)
      case .longArguments: LongArguments.answer(facts)
      case .unusedTools: UnusedTools.answer(facts)
      }
    }
  }

  /// The answer to one question.
  package func answer(to question: ReviewQuestion) -> ReviewAnswer? {
    answers.first { $0.question == question }
  }
}

extension ReviewAnswer {
  /// An answer with the findings there are; where there are none, `unknown` says why it can't tell.
  init(
    _ question: ReviewQuestion, _ findings: [Finding], threshold: String, unknown: String? = nil
  ) {
    self.question = question
    self.findings = Array(findings.prefix(TraceReview.findingLimit))
    self.threshold = threshold
    more = findings.count - self.findings.count
    outcome = !findings.isEmpty ? .found : unknown.map { .unknown($0) } ?? .clear
  }
}
