import FMCore
import Synchronization

/// What the sessions of one trial share: what was answered, what went wrong.
///
/// Sessions that are played at the same time use it from several threads.
final class TrialProgress: Sendable {
  private let state: Mutex<State>

  private struct State {
    var problem: String?
    /// The last answer of each session.
    var answers: [[TokenID]]
  }

  init(sessions: Int) {
    state = Mutex(State(answers: Array(repeating: [], count: sessions)))
  }

  /// Why the trial is invalid; nil while it is valid.
  var problem: String? { state.withLock { $0.problem } }

  /// Makes the trial invalid; the first reason stays.
  func invalidate(_ reason: String) {
    state.withLock { $0.problem = $0.problem ?? reason }
  }

  /// The last answer of a session; empty before its first.
  func answer(of session: Int) -> [TokenID] { state.withLock { $0.answers[session] } }

  /// Notes a session's answer.
  func answered(_ tokens: [TokenID], session: Int) {
    state.withLock { $0.answers[session] = tokens }
  }
}
