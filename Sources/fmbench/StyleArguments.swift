import FMBench
import FMCommand

/// The options that say how requests reach the model.
enum StyleArguments {
  static let options: [Option] = [
    .value(
      "level", "LEVEL", completion: Completion(PlayStyle.Level.allCases.map(\.rawValue)),
      help: "engine: token ids (the default); session: through LanguageModelSession, as apps ask."),
    .flag("live", help: "The model decides what it calls and where it ends; session level."),
    .value(
      "policy", "P", completion: Completion(PlayStyle.Policy.allCases.map(\.rawValue)),
      help: "one session a conversation (the default), or fresh: another each turn."),
    .flag("no-stream", help: "Answers are read when they are whole; session level."),
    .value(
      "prefix-edit", "E",
      completion: Completion(PlayStyle.PrefixEdit.allCases.map(\.rawValue)),
      help: "none, or what defeats a cache: timestamp at the head, tools in another order."),
    .value(
      "masks", "on|off", completion: Completion(["on", "off"]),
      help: "Forced JSON is also held to its grammar; session level."),
  ]

  /// What the options say; anything but the default of an option for sessions makes it session level.
  static func style(_ arguments: Arguments) throws -> PlayStyle {
    var style = PlayStyle()
    let policy = try choice("policy", of: PlayStyle.Policy.self, arguments)
    let edit = try choice("prefix-edit", of: PlayStyle.PrefixEdit.self, arguments)
    let masks = try arguments.choice("masks", of: ["on", "off"])
    let level = try choice("level", of: PlayStyle.Level.self, arguments)
    let needsSession =
      arguments.string("transcript") != nil || arguments.flag("live") || arguments.flag("no-stream")
      || policy != nil || edit != nil
      || masks != nil
    if level == .engine, needsSession {
      throw UsageError.conflict(
        "'--transcript', '--live', '--policy', '--no-stream', '--prefix-edit' and '--masks' take "
          + "'--level session'")
    }
    style.level = level ?? (needsSession ? .session : .engine)
    style.mode = arguments.flag("live") ? .live : .scripted
    style.policy = policy ?? .one
    style.isStreaming = !arguments.flag("no-stream")
    style.prefixEdit = edit ?? .none
    style.hasMasks = masks == "on"
    style.promptForm = style.level == .session ? .native : .tokens
    return style
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type, _ arguments: Arguments
  ) throws -> Choice? where Choice.RawValue == String {
    try arguments.choice(name, of: Choice.allCases.map(\.rawValue)).flatMap(Choice.init(rawValue:))
  }
}
