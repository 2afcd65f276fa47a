import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request to a server, with its repetitions.
struct ChatCompletionsExchange {
  let client: HTTPClient
  let request: URLRequest
  let schemaName: String?

  /// Times a busy server is asked again, and the longest wait in between.
  private static let retries = 2
  private static let longestWaitSeconds = 30.0
  /// The most bytes of an answer that is no stream, and of an error.
  private static let bodyLimit = 16 << 20

  /// Asks, and asks again while the server is busy; passes on what it says.
  func run(into channel: LanguageModelExecutorGenerationChannel) async throws {
    var attempt = 0
    while true {
      do {
        return try await ask(channel)
      } catch let busy as BusyServer {
        guard attempt < Self.retries else { throw busy.error }
        let wait = busy.waitSeconds ?? 0.5 * Double(1 << attempt)
        guard wait <= Self.longestWaitSeconds else { throw busy.error }
        attempt += 1
        try await Task.sleep(for: .seconds(wait))
      }
    }
  }

  /// The server can't answer now.
  private struct BusyServer: Error {
    var error: any Error
    var waitSeconds: Double?
  }

  private func ask(_ channel: LanguageModelExecutorGenerationChannel) async throws {
    var reader = ChatCompletionsReader(channel: channel, endpoint: endpoint, quoted: quoted)
    var events = ServerSentEventReader()
    var head: (status: Int, isStream: Bool, retryAfter: String?)?
    var body = Data()
    do {
      for try await piece in client.send(request) {
        switch piece {
        case .head(let status, let type, let retryAfter):
          head = (status, type.lowercased().hasPrefix("text/event-stream"), retryAfter)
        case .body(let data):
          guard let head else { continue }
          if head.status == 200, head.isStream {
            for event in try events.append(data) { try await reader.read(event) }
            if reader.isDone { return try await reader.finish() }
          } else {
            guard body.count + data.count <= Self.bodyLimit else {
              throw ServerSentEventReader.LimitExceeded(what: "answer", limit: Self.bodyLimit)
            }
            body.append(data)
          }
        }
      }
    } catch {
      throw translated(error, hasSpoken: reader.hasSpoken)
    }
    try Task.checkCancellation()
    guard let head else { throw ChatCompletionsError.noAnswer(endpoint: endpoint) }
    if head.status != 200 { throw failure(head.status, retryAfter: head.retryAfter, body: body) }
    if !head.isStream { try await reader.readWhole(String(decoding: body, as: UTF8.self)) }
    do {
      try await reader.finish()
    } catch is ChatCompletionsReader.IsCut {
      throw ChatCompletionsError.connection(reason: "\(endpoint) ended its answer in the middle.")
    }
  }

  /// The address for errors, which end up in logs: without user, password and query.
  private var endpoint: String {
    guard let url = request.url,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    else { return "" }
    parts.user = nil
    parts.password = nil
    parts.query = nil
    parts.fragment = nil
    return parts.string ?? ""
  }

  // MARK: Failures

  /// The beginning of what the server at the address sent, on one line and without the keys it was sent.
  private func quoted(_ text: String) -> String {
    var text = String(text.unicodeScalars.prefix(2000))
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      let isSecret = ["auth", "key", "token", "secret", "cookie"].contains {
        name.lowercased().contains($0)
      }
      let secret = value.split(separator: " ").last.map(String.init) ?? ""
      if isSecret, secret.utf8.count >= 4 { text = text.replacing(secret, with: "…") }
    }
    let line = text.unicodeScalars.split { $0.properties.isWhitespace }.map(String.init)
      .joined(separator: " ")
    let scalars = line.unicodeScalars
    return scalars.count > 300 ? String(scalars.prefix(300)) + "…" : line
  }

  private func translated(_ error: any Error, hasSpoken: Bool) -> any Error {
    if let limit = error as? ServerSentEventReader.LimitExceeded {
      return ChatCompletionsError.tooLarge(what: limit.what, limitBytes: limit.limit)
    }
    guard let error = error as? URLError else { return error }
    let reason = "\(endpoint): \(error.localizedDescription)"
    switch error.code {
    case .cancelled: return CancellationError()
    case .timedOut:
      return LanguageModelError.timeout(
        LanguageModelError.Timeout(debugDescription: reason))
    case .networkConnectionLost where !hasSpoken:
      let failure = ChatCompletionsError.connection(reason: reason)
      return BusyServer(error: failure, waitSeconds: nil)
    default: return ChatCompletionsError.connection(reason: reason)
    }
  }

  private func failure(_ status: Int, retryAfter: String?, body: Data) -> any Error {
    let text = String(decoding: body, as: UTF8.self)
    let content = try? GeneratedContent(json: text)
    let details = try? content?.value(GeneratedContent?.self, forProperty: "error")
    let message = quoted(
      (try? details?.value(String?.self, forProperty: "message")) ?? nil ?? text)
    let code = (try? details?.value(String?.self, forProperty: "code")) ?? nil
    let wait = Self.waitSeconds(retryAfter, now: Date())
    let http = ChatCompletionsError.status(status, message: message, endpoint: endpoint)
    switch status {
    case 429:
      let error = LanguageModelError.rateLimited(
        LanguageModelError.RateLimited(
          resetDate: wait.map { Date().addingTimeInterval($0) }, debugDescription: message))
      return BusyServer(error: error, waitSeconds: wait)
    case 408:
      return LanguageModelError.timeout(LanguageModelError.Timeout(debugDescription: message))
    case 504:
      let error = LanguageModelError.timeout(
        LanguageModelError.Timeout(debugDescription: message))
      return BusyServer(error: error, waitSeconds: wait)
    case 502, 503: return BusyServer(error: http, waitSeconds: wait)
    case 400, 413, 422:
      return ContextOverflow(code: code, message: message)?.error
        ?? guideFailure(message) ?? http
    default: return http
    }
  }

  private func guideFailure(_ message: String) -> (any Error)? {
    let words = message.lowercased()
    guard let schemaName, words.contains("schema") || words.contains("grammar") else { return nil }
    return LanguageModelError.unsupportedGenerationGuide(
      LanguageModelError.UnsupportedGenerationGuide(
        schemaName: schemaName, debugDescription: message))
  }

  /// Seconds that a `Retry-After` asks for: a number, or a date; nil for neither.
  static func waitSeconds(_ header: String?, now: Date) -> Double? {
    guard let header else { return nil }
    if let seconds = Double(header), seconds.isFinite { return max(0, seconds) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return format.date(from: header).map { max(0, $0.timeIntervalSince(now)) }
  }
}

/// A server's message that the context is too small, with its numbers.
struct ContextOverflow {
  let error: LanguageModelError

  /// Nil when the message speaks of something else.
  init?(code: String?, message: String) {
    let words = message.lowercased()
    guard
      code == "context_length_exceeded" || words.contains("context length")
        || words.contains("context size") || words.contains("context window")
    else { return nil }
    var numbers: [Int] = []
    for part in message.split(whereSeparator: { !("0"..."9").contains($0) }) {
      if let number = Int(part) { numbers.append(number) }
    }
    // Servers name the limit and the request's size, in either order: the request is the larger one.
    let large = numbers.filter { $0 > 1 }.sorted()
    error = .contextSizeExceeded(
      LanguageModelError.ContextSizeExceeded(
        contextSize: large.dropLast().last ?? large.last ?? 0, tokenCount: large.last ?? 0,
        debugDescription: message))
  }
}
