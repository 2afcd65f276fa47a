public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A model behind an HTTP server that speaks OpenAI's chat completions: llama.cpp's, vLLM, SGLang and others.
///
/// Answers stream as the server sends them. Cancelling a request closes its connection. A server that is busy
/// (429, 502, 503, 504) is asked again up to twice, after as long as it says.
public struct ChatCompletionsLanguageModel: LanguageModel {
  let configuration: Executor.Configuration
  private let supportsGuidedGeneration: Bool

  /// A model by the server's name for it.
  ///
  /// `url` is where the server's routes begin: `/chat/completions` is added to a path such as `/v1`,
  /// `/v1/chat/completions` where there is no path, and nothing where the path has it already. Without
  /// a configuration a server may be silent for ten minutes.
  public init(
    name: String, url: URL, additionalHeaders: [String: String] = [:],
    supportsGuidedGeneration: Bool = true, urlSessionConfiguration: URLSessionConfiguration? = nil
  ) {
    configuration = Executor.Configuration(
      name: name, endpoint: Self.endpoint(url), headers: additionalHeaders,
      session: urlSessionConfiguration ?? Self.patient)
    self.supportsGuidedGeneration = supportsGuidedGeneration
  }

  /// Tools and thoughts; schemas where the server follows them.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities(
      [.toolCalling, .reasoning, .vision] + (supportsGuidedGeneration ? [.guidedGeneration] : []))
  }

  /// The server and the model's name.
  public var executorConfiguration: Executor.Configuration { configuration }

  /// Waits ten minutes for a server that says nothing: a long prompt takes a busy one its time.
  private static var patient: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 600
    return configuration
  }

  private static func endpoint(_ url: URL) -> URL {
    var path = url.path
    while path.hasSuffix("/") { path.removeLast() }
    if path.hasSuffix("/chat/completions") { return url }
    let suffix = path.isEmpty ? "v1/chat/completions" : "chat/completions"
    return url.appending(path: suffix)
  }

  /// Asks the server.
  public struct Executor: LanguageModelExecutor {
    /// Which server and model, and how to ask.
    ///
    /// SAFETY: the session configuration is copied when this is made and only read afterwards.
    public struct Configuration: Hashable, @unchecked Sendable {
      let name: String
      let endpoint: URL
      let headers: [String: String]
      let session: URLSessionConfiguration

      init(name: String, endpoint: URL, headers: [String: String], session: URLSessionConfiguration)
      {
        self.name = name
        self.endpoint = endpoint
        self.headers = headers
        self.session = (session.copy() as? URLSessionConfiguration) ?? session
      }

      /// Whether both ask the same model of the same server in the same way.
      public static func == (left: Configuration, right: Configuration) -> Bool {
        left.name == right.name && left.endpoint == right.endpoint && left.headers == right.headers
          && left.session == right.session
      }

      /// Hashes server and model.
      public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(endpoint)
        hasher.combine(headers)
      }
    }

    private let configuration: Configuration
    private let client: HTTPClient

    /// An executor for a server.
    public init(configuration: Configuration) throws {
      self.configuration = configuration
      client = HTTPClient(configuration: configuration.session)
    }

    /// Asks the server and passes on what it says.
    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: ChatCompletionsLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await respond(to: request, streamingInto: channel)
    }

    func respond(
      to request: LanguageModelExecutorGenerationRequest,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      do {
        try await exchange(request, schemaForm: .jsonSchema).run(into: channel)
      } catch  where request.schema != nil && Self.refusesSchemaForm(error) {
        try await exchange(request, schemaForm: .jsonObject).run(into: channel)
      }
    }

    /// Whether a server does not know the usual form of schemas; some know an older one.
    private static func refusesSchemaForm(_ error: any Error) -> Bool {
      switch error {
      case ChatCompletionsError.status(let status, let message, _):
        [400, 422, 500].contains(status) && message.contains("response_format")
      case LanguageModelError.unsupportedGenerationGuide(let facts):
        facts.debugDescription.contains("response_format")
      default: false
      }
    }

    private func exchange(
      _ request: LanguageModelExecutorGenerationRequest, schemaForm: ChatCompletionsBody.SchemaForm
    ) throws -> ChatCompletionsExchange {
      ChatCompletionsExchange(
        client: client, request: try urlRequest(for: request, schemaForm: schemaForm),
        schemaName: request.schema?.name)
    }

    private func urlRequest(
      for request: LanguageModelExecutorGenerationRequest,
      schemaForm: ChatCompletionsBody.SchemaForm
    ) throws -> URLRequest {
      var result = URLRequest(
        url: configuration.endpoint,
        timeoutInterval: configuration.session.timeoutIntervalForRequest)
      result.httpMethod = "POST"
      result.setValue("application/json", forHTTPHeaderField: "Content-Type")
      result.setValue("text/event-stream, application/json", forHTTPHeaderField: "Accept")
      for name in configuration.headers.keys.sorted() {
        result.setValue(configuration.headers[name], forHTTPHeaderField: name)
      }
      let body = try ChatCompletionsBody(
        model: configuration.name, request: request, schemaForm: schemaForm
      ).content
      result.httpBody = Data(body.jsonString.utf8)
      return result
    }
  }
}
