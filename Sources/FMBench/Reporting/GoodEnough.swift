/// Limits that a user's patience sets: a request is good when it keeps all of them.
package struct GoodEnough: Sendable, Hashable {
  /// The longest good time to first token, in milliseconds.
  package var timeToFirstToken: Double
  /// The longest good time per output token, in milliseconds.
  package var timePerOutputToken: Double

  /// Of an agent's step: 2 s and 100 ms, the limits of the inference-perf catalogue (Apache-2.0) for one turn
  /// of reasoning.
  package static let agent = GoodEnough(timeToFirstToken: 2000, timePerOutputToken: 100)

  /// Whether a request keeps the limits; an answer of one token has no pace to miss.
  func isKept(by request: TrialMetrics.Request) -> Bool {
    guard let wait = request.timeToFirstToken, wait <= timeToFirstToken else { return false }
    return (request.timePerOutputToken ?? 0) <= timePerOutputToken
  }

  /// The shares of turns, and of sessions, of which every request keeps the limits; at least one request.
  func shares(of requests: [TrialMetrics.Request]) -> (turns: Double, sessions: Double) {
    var turns: [Place: Bool] = [:]
    var sessions: [Int: Bool] = [:]
    for (index, request) in requests.enumerated() {
      let isGood = isKept(by: request)
      // Without a turn's number it is a turn of its own.
      let place = Place(session: request.session, turn: request.turn ?? -1 - index)
      turns[place] = (turns[place] ?? true) && isGood
      sessions[request.session] = (sessions[request.session] ?? true) && isGood
    }
    func share(_ kept: some Collection<Bool>) -> Double {
      Double(kept.count { $0 }) / Double(max(1, kept.count))
    }
    return (share(turns.values), share(sessions.values))
  }

  private struct Place: Hashable {
    var session: Int
    var turn: Int
  }
}
