import Synchronization

/// What the conversations of one trial share: what was answered, what went wrong.
final class ConversationProgress: Sendable {
  private struct State {
    var problem: String?
    var answers: [String]
  }

  private let state: Mutex<State>

  init(sessions: Int) {
    state = Mutex(State(answers: Array(repeating: "", count: sessions)))
  }

  /// Why the trial is invalid; nil while it is valid.
  var problem: String? { state.withLock { $0.problem } }

  /// Makes the trial invalid; the first reason stays.
  func invalidate(_ reason: String) {
    state.withLock { $0.problem = $0.problem ?? reason }
  }

  /// The last answer of a session; empty before its first.
  func answer(of session: Int) -> String { state.withLock { $0.answers[session] } }

  /// Notes a session's answer.
  func answered(_ text: String, session: Int) { state.withLock { $0.answers[session] = text } }
}
