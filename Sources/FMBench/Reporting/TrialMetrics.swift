/// A metric that a trial gives one number for.
package enum Metric: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
  case ttft
  case ttftNext = "ttft_next"
  case ttfc
  case tpot
  case prefillTPS = "prefill_tps"
  case effectivePromptTPS = "effective_prompt_tps"
  case decodeTPS = "decode_tps"
  case outputTPS = "output_tps"
  case hit
  case idealHit = "ideal_hit"
  case reuseEfficiency = "reuse_efficiency"
  case taskWall = "task_wall"
  case modelTime = "model_time"
  case toolTime = "tool_time"
  case handoffGap = "handoff_gap"
  case goodTurns = "good_turns"
  case goodSessions = "good_sessions"
  case gapMedian = "gap_p50"
  case gapTail = "gap_p95"
  case gapMost = "gap_max"
  case ttftSlope = "ttft_slope"
  case tpotSlope = "tpot_slope"
  case samplerShare = "sampler_share"
  case grammarShare = "grammar_share"
  case detokenizerShare = "detokenizer_share"
  case energy
  case energyPerToken = "energy_per_token"
  case energyPerSession = "energy_per_session"
  case peakMemory = "peak_memory"
  case gpuMemory = "gpu_memory"
  case load

  /// The unit values are in.
  package var unit: String {
    switch self {
    case .ttft, .ttftNext, .ttfc, .tpot, .taskWall, .modelTime, .toolTime, .handoffGap,
      .gapMedian, .gapTail, .gapMost,
      .load:
      "ms"
    case .prefillTPS, .effectivePromptTPS, .decodeTPS, .outputTPS: "tokens/s"
    case .hit, .idealHit, .reuseEfficiency, .goodTurns, .goodSessions, .samplerShare,
      .grammarShare, .detokenizerShare:
      "share"
    case .ttftSlope, .tpotSlope: "ms per 1000 tokens"
    case .energy: "J"
    case .energyPerToken: "J/token"
    case .energyPerSession: "J/session"
    case .peakMemory, .gpuMemory: "MB"
    }
  }

  /// Whether less is better; of rates, of what the cache gave and of what was good enough more is.
  package var isLowerBetter: Bool {
    switch self {
    case .prefillTPS, .effectivePromptTPS, .decodeTPS, .outputTPS, .hit, .idealHit,
      .reuseEfficiency, .goodTurns, .goodSessions:
      false
    default: true
    }
  }
}

/// What one trial is reduced to: it is the trial, not the request, that repeats independently.
package struct TrialMetrics: Sendable, Hashable {
  package var values: [Metric: Double]

  /// One measured request, as the metrics need it: times in nanoseconds.
  package struct Request: Sendable, Hashable {
    package var session: Int
    /// Which turn of its session it belongs to; nil where nobody says, and it is one of its own.
    package var turn: Int?
    package var scheduled: Double
    package var submitted: Double
    package var prefillStart: Double?
    package var firstToken: Double?
    package var lastToken: Double?
    /// First content a user can see, on the last request of a turn alone; nil at engine level.
    package var firstContent: Double?
    package var completed: Double
    package var promptTokens: Int
    /// Nil where the server does not tell.
    package var cachedTokens: Int?
    package var idealCached: Int?
    package var outputTokens: Int
    package var toolNanoseconds: Double

    package init(
      session: Int, scheduled: Double, submitted: Double, prefillStart: Double?,
      firstToken: Double?, lastToken: Double?, completed: Double, promptTokens: Int,
      cachedTokens: Int?, idealCached: Int?, outputTokens: Int, toolNanoseconds: Double
    ) {
      self.session = session
      self.scheduled = scheduled
      self.submitted = submitted
      self.prefillStart = prefillStart
      self.firstToken = firstToken
      self.lastToken = lastToken
      self.completed = completed
      self.promptTokens = promptTokens
      self.cachedTokens = cachedTokens
      self.idealCached = idealCached
      self.outputTokens = outputTokens
      self.toolNanoseconds = toolNanoseconds
    }

    /// Tokens of the prompt that were not in the cache; nil where the server does not tell.
    var computedTokens: Int? { cachedTokens.map { promptTokens - $0 } }

    var timeToFirstToken: Double? { firstToken.map { ($0 - submitted) / 1e6 } }

    var timePerOutputToken: Double? {
      guard outputTokens >= 2, let firstToken, let lastToken else { return nil }
      return (lastToken - firstToken) / 1e6 / Double(outputTokens - 1)
    }
  }

  /// Takes numbers that were computed before.
  init(values: [Metric: Double]) { self.values = values }

  /// Reduces the measured requests of one trial, in the order they were played.
  ///
  /// `recordingNanoseconds` is what the benchmark spent on writing between them.
  package init(_ requests: [Request], recordingNanoseconds: Double = 0) {
    values = [:]
    guard let first = requests.first else { return }
    let overlap = Self.overlap(requests)
    let (openings, others) = Self.split(requests, bySession: overlap)
    values[.ttft] = Statistics.median(openings.compactMap(\.timeToFirstToken))
    values[.ttftNext] = Statistics.median(others.compactMap(\.timeToFirstToken))
    // What a user waits for: the requests before it only called tools.
    if let content = requests.compactMap(\.firstContent).min() {
      values[.ttfc] = (content - first.submitted) / 1e6
    }
    values[.tpot] = Statistics.median(requests.compactMap(\.timePerOutputToken))
    if let start = first.prefillStart, let token = first.firstToken, token > start,
      let cached = first.cachedTokens
    {
      values[.prefillTPS] = Double(first.promptTokens - cached) * 1e9 / (token - start)
    }
    values[.effectivePromptTPS] = first.timeToFirstToken.flatMap {
      $0 > 0 ? Double(first.promptTokens) * 1e3 / $0 : nil
    }
    values[.decodeTPS] = Self.decodeRate(requests)
    setReuse(requests)
    let start = requests.reduce(first.scheduled) { min($0, $1.scheduled) }
    let end = requests.reduce(first.completed) { max($0, $1.completed) }
    let wall = end - start - recordingNanoseconds
    values[.taskWall] = wall / 1e6
    let output = requests.reduce(0) { $0 + $1.outputTokens }
    values[.outputTPS] = wall > 0 ? Double(output) * 1e9 / wall : nil
    values[.modelTime] = requests.reduce(0) { $0 + $1.completed - $1.submitted } / 1e6
    values[.toolTime] = requests.reduce(0) { $0 + $1.toolNanoseconds } / 1e6
    // Sessions that run at the same time hand nothing over.
    if !overlap { values[.handoffGap] = Self.handOff(requests) }
    let good = GoodEnough.agent.shares(of: requests)
    values[.goodTurns] = good.turns
    values[.goodSessions] = good.sessions
    setSlopes(requests)
  }

  /// What the prefix cache gave, could have given, and the first over the second.
  private mutating func setReuse(_ requests: [Request]) {
    let prompt = requests.reduce(0) { $0 + $1.promptTokens }
    guard prompt > 0 else { return }
    let cached = requests.compactMap(\.cachedTokens)
    let ideals = requests.compactMap(\.idealCached)
    if cached.count == requests.count {
      values[.hit] = Double(cached.reduce(0, +)) / Double(prompt)
    }
    guard ideals.count == requests.count else { return }
    let ideal = ideals.reduce(0, +)
    values[.idealHit] = Double(ideal) / Double(prompt)
    guard ideal > 0, cached.count == requests.count else { return }
    values[.reuseEfficiency] = Double(cached.reduce(0, +)) / Double(ideal)
  }

  /// How the wait and the pace grow with the prompt; with few points a slope says nothing.
  private mutating func setSlopes(_ requests: [Request]) {
    let times = requests.compactMap(\.timeToFirstToken)
    let paces = requests.compactMap(\.timePerOutputToken)
    guard requests.count >= 8, paces.count == requests.count, times.count == requests.count else {
      return
    }
    let depths = requests.map { Double($0.promptTokens) / 1000 }
    values[.tpotSlope] = Statistics.slope(of: paces, over: depths)
    // A wait is that of the tokens that were computed, so only equal numbers of them tell of depth.
    values[.ttftSlope] = Statistics.slope(of: times, over: depths, least: 8) { first, second in
      guard let left = requests[first].computedTokens, let right = requests[second].computedTokens
      else { return true }
      return abs(left - right) <= 8 + max(left, right) / 10
    }
  }

  /// Whether requests of different sessions were under way at the same time.
  private static func overlap(_ requests: [Request]) -> Bool {
    zip(requests, requests.dropFirst()).contains { before, after in
      before.session != after.session && after.submitted < before.completed
    }
  }

  /// The first request, or with `bySession` that of every session, and the others.
  private static func split(
    _ requests: [Request], bySession: Bool
  ) -> (openings: [Request], others: [Request]) {
    var begun: Set<Int> = []
    var openings: [Request] = []
    var others: [Request] = []
    for request in requests {
      let isFirst = begun.insert(request.session).inserted
      if isFirst && (bySession || openings.isEmpty) {
        openings.append(request)
      } else {
        others.append(request)
      }
    }
    return (openings, others)
  }

  /// Tokens after each request's first, over the time they took.
  private static func decodeRate(_ requests: [Request]) -> Double? {
    var tokens = 0
    var time = 0.0
    for request in requests where request.outputTokens >= 2 {
      guard let first = request.firstToken, let last = request.lastToken else { continue }
      tokens += request.outputTokens - 1
      time += last - first
    }
    return time > 0 ? Double(tokens) * 1e9 / time : nil
  }

  /// From a session's last token to the next session's first submission, summed.
  private static func handOff(_ requests: [Request]) -> Double? {
    var gap: Double?
    for (before, after) in zip(requests, requests.dropFirst()) where before.session != after.session
    {
      guard let last = before.lastToken else { continue }
      gap = (gap ?? 0) + (after.submitted - last) / 1e6
    }
    return gap
  }
}
