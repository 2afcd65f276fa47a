package import FMBackend

/// What to run.
package struct RunOptions: Sendable, Hashable {
  /// How many trials a cell gets.
  package enum Effort: Sendable, Hashable {
    case quick, standard, release
    case trials(Int)
    /// At least so many trials and then until the primary metrics' intervals are as narrow as the
    /// noise floor on either side, or so many.
    case untilStable(least: Int, most: Int)
  }

  /// Names of scenarios; empty for all.
  package var scenarios: [String] = []
  /// States to run; empty for all that a scenario has.
  package var states: [CacheState] = []
  package var effort: Effort = .standard
  /// Factor on every injected tool and think time.
  package var gapScale: Double = 0.1
  package var seed: UInt64 = 1
  package var label: String?
  /// Played instead of the suite's scenarios.
  package var transcript: ReplayedTranscript?
  package var arguments: [String] = []

  package init() {}
}

/// What a run is made on: recorded, and the same for all its cells.
package struct RunSubject: Sendable, Hashable {
  package var model: ModelRow
  /// The device the executor runs on, as its back end describes it.
  package var device: DeviceDescription
  package var threads: Int?
  package var maximumRows: Int?
  package var kvType: String?
  package var loadNanoseconds: UInt64?
  package var memoryBytes: Int?

  package init(
    model: ModelRow, device: DeviceDescription, threads: Int? = nil, maximumRows: Int? = nil,
    kvType: String? = nil, loadNanoseconds: UInt64? = nil, memoryBytes: Int? = nil
  ) {
    self.model = model
    self.device = device
    self.threads = threads
    self.maximumRows = maximumRows
    self.kvType = kvType
    self.loadNanoseconds = loadNanoseconds
    self.memoryBytes = memoryBytes
  }
}

/// What trials are played on.
package enum BenchTarget: Sendable {
  /// Token ids go in.
  case requests(any RequestTarget)
  /// Sessions ask a model.
  case conversations(ConversationTarget)

  /// Time that loading the model took for the trial under way; nil where it was loaded before.
  var loadNanoseconds: UInt64? {
    switch self {
    case .requests(let target): target.loadNanoseconds
    case .conversations: nil
    }
  }

  /// Tokens of the longest sequence; nil where nobody tells.
  var contextLength: Int? {
    switch self {
    case .requests(let target): target.contextLength
    case .conversations(let target): target.contextLength
    }
  }
}

/// One side of what is played: a target with what is recorded of it.
package struct BenchArm {
  package var target: BenchTarget
  package var subject: RunSubject
  /// The tokenizer the scripts are made with.
  package var encoding: any TextEncoding
  /// What a test of the program does to the target; nil for every other run.
  package var injected: String?
  package var style = PlayStyle()
  /// The server's address; nil for an engine of this process.
  package var endpoint: String?
  /// Bytes that the device holds for this process; it may give nil, as processors do.
  package var deviceMemory: (@Sendable () -> Int?)?

  /// An arm whose target takes token ids.
  package init(
    target: any RequestTarget, subject: RunSubject, encoding: any TextEncoding,
    injected: String? = nil
  ) {
    self.init(
      target: .requests(target), subject: subject, encoding: encoding, style: PlayStyle(),
      injected: injected)
  }

  /// An arm played in some style.
  package init(
    target: BenchTarget, subject: RunSubject, encoding: any TextEncoding, style: PlayStyle,
    endpoint: String? = nil, injected: String? = nil
  ) {
    self.target = target
    self.style = style
    self.endpoint = endpoint
    self.subject = subject
    self.encoding = encoding
    self.injected = injected
  }
}
