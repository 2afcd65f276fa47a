import FMBench
import FMCommand
import FMRuntime
import Foundation
import FoundationModels

/// The options of servers, and the arm that plays on one.
enum EndpointArguments {
  static let options: [Option] =
    [
      .value(
        "endpoint", "URL",
        help: "Plays on an OpenAI-compatible server; --model names the file that it serves.")
    ] + naming

  /// The options that say how a server is asked.
  static let naming: [Option] = [
    .value("served", "NAME", help: "What the server calls its model (default: the file's name)."),
    .value("key-env", "VAR", help: "The environment variable with the server's API key."),
  ]

  /// Whether a name of a comparison is a server's address.
  static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://")
  }

  /// The arm of the server at `address`.
  ///
  /// Asks the server once, so that a wrong address or model shows before anything is played.
  static func arm(
    _ address: String, _ style: PlayStyle, _ arguments: Arguments
  ) async throws -> BenchArm {
    guard isAddress(address), let url = URL(string: address), url.host != nil else {
      throw UsageError.invalidValue(
        option: "--endpoint", found: address, expected: "an address like http://127.0.0.1:8080/v1")
    }
    let stored = try ModelStore().find(arguments.string("model") ?? RunArguments.defaultModel)
    let served = arguments.string("served") ?? stored.name
    var headers: [String: String] = [:]
    if let variable = arguments.string("key-env") {
      guard let key = ProcessInfo.processInfo.environment[variable], !key.isEmpty else {
        throw UsageError.conflict("the environment variable \(variable) of '--key-env' is not set")
      }
      headers["Authorization"] = "Bearer \(key)"
    }
    let model = ChatCompletionsLanguageModel(name: served, url: url, additionalHeaders: headers)
    let form = try PromptForm(of: stored.path)
    if let problem = try await ConversationTarget.disagreement(of: model, with: form) {
      Terminal.warn(problem)
    }
    return BenchArm(
      target: .conversations(ConversationTarget(server: model, form: form)),
      subject: RunSubject(endpoint: shown(url), served: served, model: stored),
      encoding: ModelTextEncoding(form.tokenizer), style: plain(style), endpoint: shown(url))
  }

  /// The style as servers are played: sessions with messages of text alone.
  ///
  /// In live mode the server gets the tools as they are, since it must call them.
  static func plain(_ style: PlayStyle) -> PlayStyle {
    var style = style
    style.level = .session
    style.promptForm = style.mode == .live ? .native : .plain
    style.hasMasks = false
    return style
  }

  /// The address as it is stored and shown: without what could be a secret.
  private static func shown(_ url: URL) -> String {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    parts?.user = nil
    parts?.password = nil
    parts?.query = nil
    return parts?.string ?? url.absoluteString
  }
}
