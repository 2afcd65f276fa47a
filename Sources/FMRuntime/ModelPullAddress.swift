import FMFormats
import Foundation

/// Downloads one file over HTTP with `curl`, going on from a partial file where that is safe.
///
/// It is safe when the server can be asked for the rest of the very same file (`If-Range` with its entity
/// tag or date), or when the whole will be checked against a digest.
struct ModelPullAddress {
  /// Files kept beside the partial one.
  static let sideSuffixes = [".json", ".headers", ".log"]

  /// curl's exit codes for connections that broke: worth another try.
  private static let brokenConnection: Set<Int32> = [18, 28, 52, 55, 56, 92]
  private static let attemptLimit = 5

  /// What is known of the partial file, kept in `NAME.gguf.part.json`.
  private struct State: Codable, Equatable {
    var address: String
    var validator: String?
    var total: Int?
  }

  let address: String
  /// Whether the digest of the whole is known, so that a wrong continuation would be found.
  let isVerified: Bool

  func fetch(to part: String, onEvent: (ModelPull.Event) -> Void) async throws {
    var attempts = 0
    while true {
      let before = ModelPullFiles.size(part) ?? 0
      let state = state(of: part)
      if let total = state?.total, before == total, total > 0 { return }
      let resumes = before > 0 && (state?.validator != nil || state != nil && isVerified)
      if !resumes { Self.removeAll(part) }
      let status = try await runCurl(part, resuming: resumes ? state : nil, onEvent)
      let after = ModelPullFiles.size(part) ?? 0
      let isShort = self.state(of: part)?.total.map { after < $0 } ?? false
      if status == 0, !isShort { return }
      if resumes, Self.refusesRange(status, ModelPullHeaders(ofFile: part + ".headers")) {
        onEvent(.restarting)
        Self.removeAll(part)
        attempts += 1
      } else if Self.brokenConnection.contains(status) || status == 0 {
        onEvent(.resuming)
        attempts = after > before ? 1 : attempts + 1
      } else {
        throw failure(status, part)
      }
      guard attempts < Self.attemptLimit else { throw failure(status, part) }
      if after <= before { try await Task.sleep(for: .seconds(attempts)) }
    }
  }

  private func runCurl(
    _ part: String, resuming state: State?, _ onEvent: (ModelPull.Event) -> Void
  ) async throws -> Int32 {
    var words = [
      "curl", "--silent", "--show-error", "--fail", "--location", "--max-redirs", "10",
      "--globoff", "--proto", "=http,https", "--proto-redir",
      address.hasPrefix("https:") ? "=https" : "=http,https", "--connect-timeout", "30",
      // Ends a connection that stands still for a minute.
      "--speed-limit", "1", "--speed-time", "60",
      // Unbuffered, so that the partial file has all that came, also when curl is killed.
      "--no-buffer", "--dump-header", part + ".headers", "--output", part,
    ]
    if let state {
      words += ["--continue-at", "-"]
      if let validator = state.validator { words += ["--header", "If-Range: \(validator)"] }
    }
    words += ["--url", address]
    ModelPullFiles.remove(part + ".headers")
    var known = state
    let status = try await ModelPullChild.run(words, log: part + ".log") {
      known = note(part, known)
      onEvent(.downloading(done: ModelPullFiles.size(part) ?? 0, total: known?.total))
    }
    _ = note(part, known)
    guard let status else { throw ModelPullError.toolMissing("curl") }
    return status
  }

  /// Writes down what the answer's headers say, as soon as they are there.
  private func note(_ part: String, _ known: State?) -> State? {
    guard
      let headers = ModelPullHeaders(ofFile: part + ".headers"),
      headers.status == 200 || headers.status == 206
    else { return known }
    let state = State(
      address: address, validator: headers.validator ?? known?.validator,
      total: headers.total ?? known?.total)
    if state != known, let bytes = try? JSONEncoder().encode(state),
      let file = try? FileReplacement(path: part + ".json")
    {
      try? file.append([UInt8](bytes))
      try? file.commit()
    }
    return state
  }

  private func state(of part: String) -> State? {
    guard
      let text = ModelPullFiles.text(of: part + ".json", limit: 65_536),
      let state = try? JSONDecoder().decode(State.self, from: Data(text.utf8)),
      state.address == address
    else { return nil }
    return state
  }

  /// Whether the server sent the whole of another file (33) or has nothing at that place (416).
  private static func refusesRange(_ status: Int32, _ headers: ModelPullHeaders?) -> Bool {
    status == 33 || status == 22 && headers?.status == 416
  }

  private func failure(_ status: Int32, _ part: String) -> ModelPullError {
    let output = ModelPullFiles.tail(of: part + ".log")
    return .toolFailed(tool: "curl", status: status, output: output)
  }

  private static func removeAll(_ part: String) {
    ModelPullFiles.remove(part)
    for suffix in sideSuffixes { ModelPullFiles.remove(part + suffix) }
  }
}

/// The headers of the last answer of a chain of redirections, as `curl --dump-header` writes them.
struct ModelPullHeaders: Equatable {
  let status: Int
  private let fields: [String: String]

  /// Nil when there is no file, or the last answer's headers are not all there.
  init?(ofFile path: String) {
    guard let text = ModelPullFiles.text(of: path, limit: 1 << 18) else { return nil }
    self.init(text)
  }

  init?(_ text: String) {
    // Swift takes CR LF for one character, so lines are split by newline characters.
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let start = lines.lastIndex(where: { $0.hasPrefix("HTTP/") }) else { return nil }
    let block = lines[start...]
    guard let end = block.firstIndex(of: "") else { return nil }
    // The last line of a file that ends in a line feed is empty too; headers end with an empty line.
    guard end < lines.endIndex - 1 else { return nil }
    let words = lines[start].split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    self.status = status
    var fields: [String: String] = [:]
    for line in block[(start + 1)..<end] {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      fields[line[..<colon].lowercased()] = String(value)
    }
    self.fields = fields
  }

  /// What names this very version of the file: a strong entity tag, or else its date.
  var validator: String? {
    if let tag = fields["etag"] { return tag.hasPrefix("\"") ? tag : nil }
    return fields["last-modified"]
  }

  /// Bytes of the whole file.
  var total: Int? {
    if status == 206 {
      return fields["content-range"]?.split(separator: "/").last.flatMap { Int($0) }
    }
    return fields["content-length"].flatMap { Int($0) }
  }
}
