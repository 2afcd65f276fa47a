import FMCore

/// Plays one trial: fresh sessions, the state's preparation, then every step of the script.
///
/// Sessions are played one after the other or all at the same time, as the plan says; either way each
/// request is stored when it is done. Sessions that run together hand their rows over and go on: this
/// player's own task writes them in the order they come. That costs the others no waiting, but a
/// processor for some hundred microseconds a request and, while the disk confirms, a thread of the
/// pool that tasks run on; both fall into what they measure, and nothing is taken off for it.
struct TrialPlayer {
  private let script: TrialScript
  private let label: TrialLabel
  private let meter: EnergyMeter
  private let context: TrialContext

  private var players: [SessionPlayer] = []
  private var recorder: TrialRecorder
  /// Finished requests whose rows wait until the next session's first request is done.
  private var deferred: [(request: PlayedRequest, session: Int)] = []
  /// Measured requests that are still to come.
  private var remaining: Int
  /// Time spent on writing between the first measured request and the last.
  var recordingNanoseconds: UInt64 { recorder.nanoseconds }

  init(
    target: any RequestTarget, store: BenchStore, script: TrialScript, label: TrialLabel,
    trial: Int, gapScale: Double, interruption: Interruption, meter: EnergyMeter,
    observe: @escaping (RunEvent) -> Void
  ) {
    self.meter = meter
    self.script = script
    self.label = label
    recorder = TrialRecorder(store: store, label: label, trial: trial, observe: observe)
    context = TrialContext(
      target: target, state: label.state, isConcurrent: script.plan.isConcurrent,
      gapScale: gapScale, interruption: interruption,
      progress: TrialProgress(sessions: script.sessions.count))
    remaining = script.plan.measuredRequests
  }

  private var progress: TrialProgress { context.progress }

  /// Plays to the end, or to the first thing that makes the trial invalid.
  ///
  /// - Returns: why the trial is invalid; nil for a valid one.
  /// - Throws: ``StoreError`` alone: a target's failure is recorded and makes the trial invalid.
  mutating func play() async throws -> String? {
    do {
      try await prepare()
      recorder.delaysRequests = true
      // What preparing takes is no part of the trial.
      meter.begin()
      if context.isConcurrent { try await playTogether() } else { try await playInTurn() }
    } catch let error as StoreError {
      throw error
    } catch {
      progress.invalidate("failed: \(ErrorSentence(error))")
    }
    try recordDeferred()
    try recorder.recordIdealReuse()
    return progress.problem
  }

  // MARK: Preparation

  /// Brings the cache into the cell's state.
  ///
  /// Sessions are prepared last to first, so that a cache that holds few sequences holds at least
  /// the first one's, which is what the state names.
  private mutating func prepare() async throws {
    try await context.target.clearCache()
    for (number, session) in script.sessions.enumerated() {
      try recorder.begin(session: session.name, prefixTokens: session.prefix.count)
      players.append(SessionPlayer(context: context, number: number, script: session))
    }
    guard label.state != .cold else { return }
    // Copies get what they share from the first one's prefix, and compute their own part.
    let isFirstAlone = context.isConcurrent && label.state == .prewarmed
    for number in script.sessions.indices.reversed() where number == 0 || !isFirstAlone {
      guard progress.problem == nil else { return }
      let played =
        label.state == .prewarmed
        ? try await players[number].prewarm() : try await players[number].leadIn()
      _ = try recorder.record(played, session: number)
    }
  }

  // MARK: One after the other

  private mutating func playInTurn() async throws {
    var due = MonotonicInstant.now
    for number in script.sessions.indices {
      for step in script.sessions[number].steps {
        guard progress.problem == nil else { break }
        due = try await play(step, session: number, due: due)
      }
    }
  }

  /// Plays one step with its tools.
  ///
  /// - Returns: when the next step is due.
  private mutating func play(
    _ step: TrialScript.Step, session number: Int, due: MonotonicInstant
  ) async throws -> MonotonicInstant {
    let (played, answer) = try await players[number].play(step, due: due)
    remaining -= 1
    recorder.delaysRequests = remaining > 0
    if played.row.error == nil, handsOff(after: step, session: number) {
      // Written later, so that the hand-off gap is the hand-off alone.
      deferred.append((played, number))
      return played.row.completed
    }
    try recordDeferred()
    let id = try recorder.record(played, session: number)
    for index in step.calls.indices where progress.problem == nil {
      let call = try await players[number].callTool(index, of: step, arguments: answer)
      try recorder.record(call, request: id, session: number)
    }
    return .now
  }

  /// Whether another session follows at once.
  private func handsOff(after step: TrialScript.Step, session number: Int) -> Bool {
    step.calls.isEmpty && step == script.sessions[number].steps.last
      && number + 1 < script.sessions.count
  }

  // MARK: All at the same time

  private mutating func playTogether() async throws {
    let (pieces, lanes) = AsyncStream.makeStream(of: PlayedPiece.self)
    let players = players
    async let played: Void = Self.play(players, due: .now, to: lanes)
    // Nobody waits for the writing from here on.
    recorder.delaysRequests = false
    var firsts: [Int: RequestRow] = [:]
    var requests: [Int: Int] = [:]
    var failure: StoreError?
    for await piece in pieces where failure == nil {
      do throws(StoreError) {
        switch piece.event {
        case .request(let played):
          firsts[piece.session] = firsts[piece.session] ?? played.row
          requests[piece.session] = try recorder.record(played, session: piece.session)
        case .call(let call):
          guard let request = requests[piece.session] else { continue }
          try recorder.record(call, request: request, session: piece.session)
        }
      } catch {
        failure = error
        progress.invalidate("not stored: \(error)")
      }
    }
    await played
    if let failure { throw failure }
    if let first = label.state.opening(of: firsts) { players[0].checkState(first) }
  }

  /// Plays all sessions at the same time, each on a task of its own, and then ends the stream.
  private static func play(
    _ players: [SessionPlayer], due: MonotonicInstant,
    to lanes: AsyncStream<PlayedPiece>.Continuation
  ) async {
    await withTaskGroup { group in
      for player in players {
        group.addTask {
          var player = player
          await player.playAll(due: due) { lanes.yield($0) }
        }
      }
    }
    lanes.finish()
  }

  // MARK: Storing

  private mutating func recordDeferred() throws {
    let waiting = deferred
    deferred = []
    for (played, number) in waiting { _ = try recorder.record(played, session: number) }
  }
}
