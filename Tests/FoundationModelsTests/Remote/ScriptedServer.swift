import Foundation
import Glibc
import Synchronization

/// An HTTP server on a port of this machine that answers every connection as its script says.
///
/// Reads one request a connection, writes the script's pieces one after another and closes.
final class ScriptedServer: Sendable {
  /// What is written next.
  enum Piece: Sendable {
    case text(String)
    /// Waits until the test goes on.
    case gate(Gate)
  }

  struct Request: Sendable {
    var head: String
    var body: String
  }

  private struct State {
    var requests: [Request] = []
    var failedWrites = 0
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let script: @Sendable (Int, Request) -> [Piece]

  var requests: [Request] { state.withLock { $0.requests } }
  /// Writes that found the connection closed.
  var failedWrites: Int { state.withLock { $0.failedWrites } }
  var url: URL { URL(string: "http://127.0.0.1:\(port)/v1") ?? URL(filePath: "none") }

  init(script: @escaping @Sendable (Int, Request) -> [Piece]) throws {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in accept() }
  }

  /// Stops listening.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      guard connection >= 0 else { break }
      Thread.detachNewThread { [self] in serve(connection) }
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    guard let request = read(connection) else { return }
    let number = state.withLock { state in
      state.requests.append(request)
      return state.requests.count - 1
    }
    for piece in script(number, request) {
      switch piece {
      case .text(let text):
        let bytes = Array(text.utf8)
        if send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 {
          state.withLock { $0.failedWrites += 1 }
          return
        }
      case .gate(let gate):
        let semaphore = DispatchSemaphore(value: 0)
        Task {
          await gate.wait()
          semaphore.signal()
        }
        semaphore.wait()
      }
    }
  }

  private func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let length =
          head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.drop { $0 != ":" }.dropFirst().filter { $0 != " " }) } ?? 0
        let body = String(text[end.upperBound...])
        if body.utf8.count >= length { return Request(head: head, body: body) }
      }
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
  }
}

extension ScriptedServer {
  /// An event stream of chunks.
  static func stream(_ chunks: [String]) -> [Piece] {
    [.text(streamHead)] + chunks.map { .text("data: \($0)\n\n") } + [.text("data: [DONE]\n\n")]
  }

  static let streamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

  /// A whole answer with a status.
  static func status(_ status: Int, _ body: String, headers: String = "") -> [Piece] {
    [
      .text(
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n\(headers)"
          + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    ]
  }

  /// A chunk with a piece of text.
  static func text(_ text: String) -> String {
    #"{"choices":[{"index":0,"delta":{"content":"\#(text)"},"finish_reason":null}]}"#
  }

  /// The chunks at the end of an answer.
  static func end(_ reason: String = "stop") -> [String] {
    [
      #"{"choices":[{"index":0,"delta":{},"finish_reason":"\#(reason)"}]}"#,
      #"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,"#
        + #""prompt_tokens_details":{"cached_tokens":8}}}"#,
    ]
  }
}
