import FMCore

/// Stores one trial's sessions, requests and tool calls, and tells of each request after it is on disk.
struct TrialRecorder {
  private let store: BenchStore
  private let label: TrialLabel
  private let trial: Int
  private let observe: (RunEvent) -> Void
  private var sessions: [(id: Int, name: String)] = []
  /// Calls made so far by tool and the hash of their arguments, a session, to find repeats.
  private var calls: [[String: Int]] = []
  /// Whether measured requests wait for what is written now.
  var delaysRequests = false
  /// Time spent on writing while requests waited for it.
  private(set) var nanoseconds: UInt64 = 0
  /// What an engine of this process computed for the stored requests.
  private var sequences: [IdealReuse.Request] = []
  /// Whether a measured request was stored.
  private(set) var hasMeasured = false

  init(
    store: BenchStore, label: TrialLabel, trial: Int, observe: @escaping (RunEvent) -> Void
  ) {
    self.store = store
    self.label = label
    self.trial = trial
    self.observe = observe
  }

  /// Stores the beginning of the next session.
  mutating func begin(session name: String, prefixTokens: Int) throws(StoreError) {
    let id = try store.addSession(
      trial: trial, number: sessions.count, name: name, prefixTokens: prefixTokens)
    sessions.append((id, name))
    calls.append([:])
  }

  /// Stores a row of the session of that number, then tells of it: the row's id.
  mutating func record(_ request: PlayedRequest, session: Int) throws(StoreError) -> Int {
    let start = MonotonicInstant.now
    let row = request.row
    let id = try store.addRequest(row, session: sessions[session].id)
    if let sequence = request.sequence {
      sequences.append(IdealReuse.Request(id: id, row: row, sequence: sequence))
    }
    count(from: start)
    hasMeasured = hasMeasured || row.role == .measured
    observe(.request(RequestReport(trial: label, session: sessions[session].name, row: row)))
    return id
  }

  /// Stores a tool call of a stored request; one like an earlier call of its session is a repeat.
  mutating func record(_ call: ToolCallRow, request: Int, session: Int) throws(StoreError) {
    let start = MonotonicInstant.now
    var call = call
    let key = call.argumentsHash.map { "\(call.name) \($0)" }
    if let key { call.repeatOf = calls[session][key] }
    let id = try store.addToolCall(call, request: request)
    if let key, call.repeatOf == nil { calls[session][key] = id }
    count(from: start)
  }

  /// Stores what could have been cached of the requests' prompts, when all of them are over.
  func recordIdealReuse() throws(StoreError) {
    try store.setIdealCached(of: IdealReuse.cached(of: sequences))
  }

  private mutating func count(from start: MonotonicInstant) {
    guard delaysRequests else { return }
    nanoseconds += MonotonicInstant.now.nanoseconds - start.nanoseconds
  }
}

extension CacheState {
  /// Of the first requests of sessions that began together, that whose cache shows the state.
  ///
  /// Whichever looked first found nothing in a cold cache; in any other the first session's own is.
  func opening(of firsts: [Int: RequestRow]) -> RequestRow? {
    let rows = firsts.keys.sorted().compactMap { firsts[$0] }
    return self == .cold ? rows.min { $0.cachedTokens < $1.cachedTokens } : rows.first
  }
}
