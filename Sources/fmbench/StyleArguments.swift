import FMBench
import FMCommand

/// The options that say how requests reach the model.
enum StyleArguments {
  static let options: [Option] = [
    .value(
      "level", "LEVEL", completion: Completion(PlayStyle.Level.allCases.map(\.rawValue)),
      help: "engine: token ids (the default); session: through LanguageModelSession, as apps ask."),
    .value(
      "start", "S", completion: Completion(PlayStyle.Start.allCases.map(\.rawValue)),
      help: "running (the default); model: loaded anew, process: started anew for every trial."),
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
    style.mode = arguments.flag("live") ? .live : .scripted
    style.policy = try choice("policy", arguments) ?? .one
    style.isStreaming = !arguments.flag("no-stream")
    style.prefixEdit = try choice("prefix-edit", arguments) ?? .none
    style.hasMasks = try arguments.choice("masks", of: ["on", "off"]) == "on"
    let needsSession = style != PlayStyle() || arguments.string("transcript") != nil
    let level: PlayStyle.Level? = try choice("level", arguments)
    if level == .engine, needsSession {
      throw UsageError.conflict(
        "'--transcript', '--live', '--policy', '--no-stream', '--prefix-edit' and '--masks' take "
          + "'--level session'")
    }
    style.start = try choice("start", arguments) ?? .running
    style.level = level ?? (needsSession ? .session : .engine)
    style.promptForm = style.level == .session ? .native : .tokens
    return style
  }

  /// The value of a side's name in a comparison along an axis.
  static func value<Choice: RawRepresentable & CaseIterable>(
    _ name: String, by axis: ComparisonAxis
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: name) { return choice }
    throw UsageError.invalidValue(
      option: "--by \(axis.rawValue)", found: name,
      expected: Choice.allCases.map(\.rawValue).joined(separator: " or "))
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ arguments: Arguments
  ) throws -> Choice? where Choice.RawValue == String {
    try arguments.choice(name, of: Choice.allCases.map(\.rawValue)).flatMap(Choice.init(rawValue:))
  }
}
