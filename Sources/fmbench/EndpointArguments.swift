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

  /// Refuses options that say how a server is asked where there is none.
  static func requireNone(_ arguments: Arguments) throws {
    for option in ["served", "key-env"] where arguments.string(option) != nil {
      throw UsageError.conflict("'--\(option)' is for a server, and none is named")
    }
  }

  /// Refuses options that mean nothing for a server alone.
  static func requireAlone(_ arguments: Arguments) throws {
    let local = [
      "device", "threads", "kv", "context", "cache-windows", "gpu-layers", "start",
    ].filter { arguments.string($0) != nil }
    if let option = local.first {
      throw UsageError.conflict("'--\(option)' is for an engine here, '--endpoint' for a server")
    }
    if arguments.string("level") == PlayStyle.Level.engine.rawValue
      || arguments.string("masks") == "on"
    {
      throw UsageError.conflict("a server is played at session level, and its masks are its own")
    }
  }

  /// The arm of the server at `address`.
  ///
  /// Asks the server once, so that a wrong address or model shows before anything is played.
  static func arm(
    _ address: String, _ style: PlayStyle, _ arguments: Arguments
  ) async throws -> BenchArm {
    guard ServerAddress.isOne(address), let url = URL(string: address), url.host != nil else {
      throw UsageError.invalidValue(
        option: "--endpoint", found: ServerAddress.shown(address),
        expected: "an address like http://127.0.0.1:8080/v1")
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
    do {
      if let problem = try await ConversationTarget.disagreement(of: model, with: form) {
        Terminal.warn(problem)
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ErrorSentence(error, hint: hint(for: error))
    }
    return BenchArm(
      target: .conversations(ConversationTarget(server: model, form: form)),
      subject: RunSubject(endpoint: ServerAddress.shown(address), served: served, model: stored),
      encoding: ModelTextEncoding(form.tokenizer), style: plain(style),
      endpoint: ServerAddress.shown(address))
  }

  /// What the user of these options can do about an error; nil where the error knows best.
  private static func hint(for error: any Error) -> String? {
    switch error {
    case ChatCompletionsError.status(401, _, _), ChatCompletionsError.status(403, _, _):
      "--key-env names the environment variable with the server's key"
    case ChatCompletionsError.status(404, _, _):
      "the address ends before /chat/completions, like http://127.0.0.1:8080/v1, and --served is "
        + "what the server calls its model"
    default: nil
    }
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
}
