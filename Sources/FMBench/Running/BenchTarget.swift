package import FMText

/// What a trial is played on.
package enum BenchTarget: Sendable {
  /// Token ids go in.
  case requests(any RequestTarget)
  /// Sessions ask a model.
  case conversations(ConversationTarget)

  /// What a planner must know of it.
  package var form: TargetForm {
    switch self {
    case .requests(let target): .tokens(contextLength: target.contextLength)
    case .conversations(let target):
      .sessions(contextLength: target.contextLength, toolForm: target.toolForm)
    }
  }
}

/// What is known of a target before it is there.
package enum TargetForm: Sendable {
  /// It takes token ids, in sequences of at most so many.
  case tokens(contextLength: Int)
  /// It is asked by sessions; the length is nil where nobody tells.
  case sessions(contextLength: Int?, toolForm: ToolCallForm)

  /// Tokens of the longest sequence; nil where nobody tells.
  var contextLength: Int? {
    switch self {
    case .tokens(let length): length
    case .sessions(let length, _): length
    }
  }
}

/// Where the target of a trial comes from.
package enum TargetSource: Sendable {
  /// It is there, and has played other trials.
  case running(BenchTarget)
  /// It is loaded anew for every trial: a cold model.
  ///
  /// What an engine makes when it is first used (packed weights, scratch, a device's pipelines) then falls
  /// into the trial's first request, and loading is told apart. The file stays in the system's page cache.
  case loaded(@Sendable () throws -> BenchTarget)
  /// Another process is started for every trial, and plays it: a cold process.
  case process(TrialProcess)
}

/// One side of what is played: where its target comes from, with what is recorded of it.
package struct BenchArm {
  package var source: TargetSource
  package var form: TargetForm
  package var subject: RunSubject
  /// The tokenizer the scripts are made with.
  package var encoding: any TextEncoding
  /// What a test of the program does to the target; nil for every other run.
  package var injected: String?
  package var style: PlayStyle
  /// The server's address; nil for an engine of this machine.
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

  /// An arm whose target is there, played in some style.
  package init(
    target: BenchTarget, subject: RunSubject, encoding: any TextEncoding, style: PlayStyle,
    endpoint: String? = nil, injected: String? = nil
  ) {
    self.init(
      source: .running(target), form: target.form, subject: subject, encoding: encoding,
      style: style)
    self.endpoint = endpoint
    self.injected = injected
  }

  /// An arm whose targets are still to come.
  package init(
    source: TargetSource, form: TargetForm, subject: RunSubject, encoding: any TextEncoding,
    style: PlayStyle
  ) {
    self.source = source
    self.form = form
    self.subject = subject
    self.encoding = encoding
    self.style = style
  }
}
