import FMCore
import Synchronization

/// What the sessions of one trial share: what was computed, what was answered, what went wrong.
///
/// Sessions that are played at the same time use it from several threads.
final class TrialProgress: Sendable {
  private let state: Mutex<State>

  private struct State {
    var ideal = IdealCache()
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

  /// Tokens of `prompt` that a cache without limits would hold by now.
  func ideal(for prompt: [TokenID]) -> Int { state.withLock { $0.ideal.ideal(for: prompt) } }

  /// Notes a sequence that was computed.
  func remember(_ tokens: [TokenID]) { state.withLock { $0.ideal.remember(tokens) } }

  /// The last answer of a session; empty before its first.
  func answer(of session: Int) -> [TokenID] { state.withLock { $0.answers[session] } }

  /// Notes a session's answer.
  func answered(_ tokens: [TokenID], session: Int) {
    state.withLock { $0.answers[session] = tokens }
  }
}
