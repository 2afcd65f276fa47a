/// When things happened in one trial: a lane a session, times in milliseconds from the first request.
package struct TrialTimeline: Sendable, Hashable {
  /// What a stretch of time went to.
  package enum Activity: Int, Sendable, Hashable, CaseIterable {
    case queue, prefill, decode, finish, tool

    /// How legends call it.
    package var label: String {
      switch self {
      case .queue: "queue"
      case .prefill: "prefill"
      case .decode: "decode"
      case .finish: "after the last token"
      case .tool: "tool"
      }
    }
  }

  /// A stretch of one activity.
  package struct Span: Sendable, Hashable {
    package var activity: Activity
    package var start: Double
    package var end: Double
  }

  /// A request or a tool call, for its description.
  package struct Event: Sendable, Hashable {
    package var start: Double
    package var end: Double
    package var text: String
  }

  /// One session.
  package struct Lane: Sendable, Hashable {
    package var name: String
    package var spans: [Span]
    package var events: [Event]
  }

  package var repetition: Int
  package var lanes: [Lane]
  /// From the first request's due time to the end of the last.
  package var wall: Double
  /// Requests that are left out because there are too many to draw.
  package var omittedRequests: Int

  /// Most requests drawn of a trial.
  package static let mostRequests = 200
}
