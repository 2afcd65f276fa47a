import FMCore

/// Plays one trial of a conversation script: fresh sessions, the state's preparation, then every request.
///
/// Rows are stored when the application's request is done, those of a hand-off when the next one is.
/// Conversations that run together hand their rows over and go on, as those of ``TrialPlayer`` do. Prompts
/// are counted when the trial is over, and so is what of them could have been cached, since both take longer
/// than what is measured allows.
struct ConversationTrial {
  private let store: BenchStore
  private var templateShare: TemplateShare
  private let script: ConversationScript
  private let label: TrialLabel
  private let meter: EnergyMeter
  private let context: ConversationContext

  private var players: [ConversationPlayer] = []
  private var recorder: TrialRecorder
  /// Stored requests whose prompts are still to be counted.
  private var uncounted: [(id: Int, request: PlayedRequest)] = []
  private var deferred: [(rows: [PlayedRequest], session: Int)] = []
  /// Time spent on writing between the first measured request and the last.
  var recordingNanoseconds: UInt64 { recorder.nanoseconds }

  init(
    target: ConversationTarget, style: PlayStyle, store: BenchStore, script: ConversationScript,
    label: TrialLabel, trial: Int, options: RunOptions, interruption: Interruption,
    meter: EnergyMeter, encoding: any TextEncoding, observe: @escaping (RunEvent) -> Void
  ) {
    self.meter = meter
    self.store = store
    templateShare = TemplateShare(encoding: encoding)
    self.script = script
    self.label = label
    recorder = TrialRecorder(store: store, label: label, trial: trial, observe: observe)
    context = ConversationContext(
      target: target, style: style, state: label.state, isConcurrent: script.isConcurrent,
      gapScale: options.gapScale,
      interruption: interruption, progress: ConversationProgress(sessions: script.sessions.count),
      clock: Int(options.seed % 80_000) + label.orderIndex)
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
      context.progress.invalidate("failed: \(ErrorSentence(error))")
    }
    recorder.delaysRequests = false
    try recordDeferred()
    try recorder.recordIdealReuse()
    try await countPrompts()
    if context.interruption.isRequested { context.progress.invalidate("interrupted") }
    if !recorder.hasMeasured { context.progress.invalidate("nothing was asked") }
    return context.progress.problem
  }

  private mutating func prepare() async throws {
    await context.target.engine?.clearCache()
    for (number, session) in script.sessions.enumerated() {
      try recorder.begin(session: session.name, prefixTokens: session.instructionTokens)
      players.append(ConversationPlayer(context: context, number: number, script: session))
    }
    guard label.state != .cold else { return }
    // Copies get what they share from the first one's beginning, and compute their own part.
    let isFirstAlone = script.isConcurrent && label.state == .prewarmed
    // Last to first, so that a cache that holds few sequences holds the first one's.
    for number in script.sessions.indices.reversed() where number == 0 || !isFirstAlone {
      guard context.progress.problem == nil else { return }
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
        recorder.delaysRequests = true
        let isLast = index == script.sessions[number].asks.count - 1
        if isLast, number + 1 < script.sessions.count {
          // Written later, so that the hand-off gap is the hand-off alone.
          deferred.append((rows, number))
          continue
        }
        if isLast { recorder.delaysRequests = false }
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
    if let first = label.state.opening(of: firsts) { players[0].checkState(first) }
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

  /// Counts what was sent, and makes the trial invalid where a prompt was another.
  private mutating func countPrompts() async throws {
    for (id, request) in uncounted where !context.interruption.isRequested {
      guard let transcript = request.transcript,
        let counted = try? await context.target.count(transcript)
      else { continue }
      var row = request.row
      row.expectedPrompt = counted
      // Some servers count nothing; what they were sent is known.
      if row.promptTokens == 0, row.error == nil { row.promptTokens = counted }
      try store.setPrompt(
        of: id, tokens: row.promptTokens, expected: counted,
        template: templateShare.tokens(of: transcript, prompt: counted))
      if let reason = CountCheck.problem(of: row) { context.progress.invalidate(reason) }
    }
    uncounted = []
  }

  private mutating func record(_ played: [PlayedRequest], session: Int) throws {
    for request in played {
      let id = try recorder.record(request, session: session)
      if request.transcript != nil { uncounted.append((id, request)) }
      for call in request.calls { try recorder.record(call, request: id, session: session) }
    }
  }
}
