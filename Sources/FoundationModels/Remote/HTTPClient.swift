import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests and gives the answers' bytes as they arrive.
///
/// One `URLSession` for all requests, so connections are used again. A dropped or cancelled stream closes
/// its connection.
final class HTTPClient: Sendable {
  /// A piece of an answer: first the head, then bytes.
  enum Piece: Sendable {
    case head(status: Int, contentType: String, retryAfter: String?)
    case body(Data)
  }

  private let session: URLSession
  private let router: Router

  init(configuration: URLSessionConfiguration) {
    router = Router()
    session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends a request.
  func send(_ request: URLRequest) -> AsyncThrowingStream<Piece, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Piece.self)
    let task = session.dataTask(with: request)
    router.add(continuation, for: task.taskIdentifier)
    continuation.onTermination = { _ in task.cancel() }
    task.resume()
    return stream
  }

  /// Brings what the session tells to the streams it belongs to.
  private final class Router: NSObject, URLSessionDataDelegate, Sendable {
    private let streams = Mutex<[Int: AsyncThrowingStream<Piece, any Error>.Continuation]>([:])

    func add(_ stream: AsyncThrowingStream<Piece, any Error>.Continuation, for task: Int) {
      streams.withLock { $0[task] = stream }
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      let stream = streams.withLock { $0[dataTask.taskIdentifier] }
      if let http = response as? HTTPURLResponse {
        stream?.yield(
          .head(
            status: http.statusCode,
            contentType: http.value(forHTTPHeaderField: "Content-Type") ?? "",
            retryAfter: http.value(forHTTPHeaderField: "Retry-After")))
      }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let stream = streams.withLock { $0[dataTask.taskIdentifier] }
      stream?.yield(.body(data))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let stream = streams.withLock { $0.removeValue(forKey: task.taskIdentifier) }
      stream?.finish(throwing: error)
    }
  }
}
