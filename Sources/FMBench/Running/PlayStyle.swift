/// How a script's requests reach the model, and what of it is varied on purpose.
package struct PlayStyle: Sendable, Hashable {
  /// Where requests go in.
  package enum Level: String, Sendable, Hashable, CaseIterable {
    /// Token ids to the engine, without a chat template.
    case engine
    /// Through `LanguageModelSession`, as applications ask.
    case session
  }

  /// Who decides what is answered.
  package enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The script: calls and lengths are the same for every model and device.
    case scripted
    /// The model, with real tools and real endings.
    case live
  }

  /// How many sessions a conversation takes.
  package enum Policy: String, Sendable, Hashable, CaseIterable {
    case one
    /// Another session for every turn, made from the transcript so far.
    case fresh
  }

  /// What is changed at the head of every request, as applications do that defeat their cache.
  package enum PrefixEdit: String, Sendable, Hashable, CaseIterable {
    case none
    /// Another time stands first.
    case timestamp
    /// The tools' schemas stand in another order.
    case tools
  }

  /// What a trial begins with.
  package enum Start: String, Sendable, Hashable, CaseIterable {
    /// An engine that has run before.
    case running
    /// A model that was just loaded.
    case model
    /// A process that was just started, and loaded the model.
    case process
  }

  /// What prompts are made of.
  package enum PromptForm: String, Sendable, Hashable {
    /// Ids, without a template.
    case tokens
    /// The model's own template, tools in its own form.
    case native
    /// Messages of text alone, tools spelled out in the instructions: the same for every server.
    case plain
  }

  package var level: Level = .engine
  package var mode: Mode = .scripted
  package var policy: Policy = .one
  package var isStreaming = true
  package var prefixEdit: PrefixEdit = .none
  package var promptForm: PromptForm = .tokens
  package var start: Start = .running
  /// Whether forced structured answers are also held to their grammar, token by token.
  package var hasMasks = false

  package init() {}
}

extension PlayStyle {
  /// A stored style: the run's columns level, mode, policy, streaming, prefix_edit, prompt_form and start.
  init(_ row: SQLRow, at column: Int) {
    func stored<Choice: RawRepresentable>(_ offset: Int, _ usual: Choice) -> Choice
    where Choice.RawValue == String {
      row.string(column + offset).flatMap(Choice.init(rawValue:)) ?? usual
    }
    level = stored(0, Level.engine)
    mode = stored(1, Mode.scripted)
    policy = stored(2, Policy.one)
    isStreaming = row.bool(column + 3) ?? true
    prefixEdit = stored(4, PrefixEdit.none)
    promptForm = stored(5, PromptForm.tokens)
    start = stored(6, Start.running)
  }

  /// `engine level`, or `session level` with what is not as usual: `session level, live, whole answers`.
  package var phrase: String {
    var words = [level == .session ? "session level" : "engine level"]
    switch start {
    case .running: break
    case .model: words.append("model loaded anew")
    case .process: words.append("a new process every trial")
    }
    guard level == .session else { return words.joined(separator: ", ") }
    if mode == .live { words.append("live") }
    if promptForm == .plain { words.append("plain text") }
    if policy == .fresh { words.append("a new session every turn") }
    if !isStreaming { words.append("whole answers") }
    switch prefixEdit {
    case .none: break
    case .timestamp: words.append("time at the head")
    case .tools: words.append("tools in changing order")
    }
    return words.joined(separator: ", ")
  }
}
