import FMCore

/// Plays one trial of a conversation script: fresh sessions, the state's preparation, then every request.
///
/// Rows are stored when the application's request is done, those of a hand-off when the next one is.
/// Conversations that run together hand their rows over and go on, as those of ``TrialPlayer`` do.
struct ConversationTrial {
  let store: BenchStore
  let script: ConversationScript
  let label: TrialLabel
  let trial: Int
  let observe: (RunEvent) -> Void
  private let meter: EnergyMeter
  private let context: ConversationContext

  private var players: [ConversationPlayer] = []
  private var ids: [Int] = []
  /// Calls made so far by the hash of their arguments, a session, to find repeats.
  private var calls: [[String: Int]]
  private var deferred: [(rows: [PlayedRequest], session: Int)] = []
  /// Time spent on writing between the first measured request and the last.
  private(set) var recordingNanoseconds: UInt64 = 0
  private var isCounting = false

  init(
    target: ConversationTarget, style: PlayStyle, store: BenchStore, script: ConversationScript,
    label: TrialLabel, trial: Int, options: RunOptions, interruption: Interruption,
    meter: EnergyMeter, observe: @escaping (RunEvent) -> Void
  ) {
    self.meter = meter
    self.store = store
    self.script = script
    self.label = label
    self.trial = trial
    self.observe = observe
    context = ConversationContext(
      target: target, style: style, state: label.state, isConcurrent: script.isConcurrent,
      gapScale: options.gapScale,
      interruption: interruption, progress: ConversationProgress(sessions: script.sessions.count),
      clock: Int(options.seed % 80_000) + label.orderIndex)
    calls = Array(repeating: [:], count: script.sessions.count)
  }

  /// Plays to the end, or to the first thing that makes the trial invalid.
  ///
  /// - Returns: why the trial is invalid; nil for a valid one.
  /// - Throws: ``StoreError`` alone: a model's failure is recorded and makes the trial invalid.
  mutating func play() async throws -> String? {
    do {
      try await prepare()
      // What preparing takes is no part of the trial.
      meter.begin()
      if script.isConcurrent { try await playTogether() } else { try await playInTurn() }
    } catch let error as StoreError {
      throw error
    } catch {
      context.progress.invalidate("failed: \(error)")
    }
    isCounting = false
    try recordDeferred()
    if context.interruption.isRequested { context.progress.invalidate("interrupted") }
    return context.progress.problem
  }

  private mutating func prepare() async throws {
    await context.target.engine?.clearCache()
    for (number, session) in script.sessions.enumerated() {
      ids.append(
        try store.addSession(
          trial: trial, number: number, name: session.name,
          prefixTokens: session.instructionTokens))
      players.append(ConversationPlayer(context: context, number: number, script: session))
    }
    guard label.state != .cold else { return }
    // Last to first, so that a cache that holds few sequences holds the first one's.
    for number in script.sessions.indices.reversed() where context.progress.problem == nil {
      let rows =
        label.state == .prewarmed
        ? try await players[number].prewarm() : await players[number].leadIn()
      try record(rows, session: number)
    }
  }

  private mutating func playInTurn() async throws {
    var due = MonotonicInstant.now
    for number in script.sessions.indices {
      for (index, ask) in script.sessions[number].asks.enumerated() {
        guard context.progress.problem == nil, !context.interruption.isRequested else { return }
        let rows = await players[number].play(ask, role: .measured, due: due)
        due = rows.last?.row.completed ?? .now
        isCounting = true
        let isLast = index == script.sessions[number].asks.count - 1
        if isLast, number + 1 < script.sessions.count {
          // Written later, so that the hand-off gap is the hand-off alone.
          deferred.append((rows, number))
          continue
        }
        if isLast { isCounting = false }
        try recordDeferred()
        try record(rows, session: number)
        due = .now
      }
    }
  }

  private mutating func playTogether() async throws {
    let (pieces, lanes) = AsyncStream.makeStream(of: (session: Int, rows: [PlayedRequest]).self)
    let players = players
    async let played: Void = Self.play(players, due: .now, to: lanes)
    var firsts: [Int: RequestRow] = [:]
    var failure: (any Error)?
    for await piece in pieces where failure == nil {
      firsts[piece.session] = firsts[piece.session] ?? piece.rows.first?.row
      do {
        try record(piece.rows, session: piece.session)
      } catch {
        failure = error
        context.progress.invalidate("not stored: \(error)")
      }
    }
    await played
    if let failure { throw failure }
    // Whichever looked first found nothing in a cold cache; in any other the first one's own is.
    let rows = script.sessions.indices.compactMap { firsts[$0] }
    let first =
      label.state == .cold ? rows.min { $0.cachedTokens < $1.cachedTokens } : rows.first
    if let first { players[0].checkState(first) }
  }

  /// Plays all conversations at the same time, each on a task of its own, and then ends the stream.
  private static func play(
    _ players: [ConversationPlayer], due: MonotonicInstant,
    to lanes: AsyncStream<(session: Int, rows: [PlayedRequest])>.Continuation
  ) async {
    await withTaskGroup { group in
      for player in players {
        group.addTask {
          var player = player
          let number = player.number
          await player.playAll(due: due) { lanes.yield((number, $0)) }
        }
      }
    }
    lanes.finish()
  }

  // MARK: Storing

  private mutating func recordDeferred() throws {
    let waiting = deferred
    deferred = []
    for (rows, session) in waiting { try record(rows, session: session) }
  }

  /// Stores rows, then tells of them.
  private mutating func record(_ played: [PlayedRequest], session: Int) throws {
    let start = MonotonicInstant.now
    for request in played {
      let id = try store.addRequest(request.row, session: ids[session])
      for call in request.calls {
        var call = call
        let hash = call.argumentsHash ?? ""
        call.repeatOf = calls[session][hash]
        let stored = try store.addToolCall(call, request: id)
        if call.repeatOf == nil { calls[session][hash] = stored }
      }
    }
    if isCounting {
      recordingNanoseconds += MonotonicInstant.now.nanoseconds - start.nanoseconds
    }
    for request in played {
      observe(
        .request(
          RequestReport(trial: label, session: script.sessions[session].name, row: request.row)))
    }
  }
}
