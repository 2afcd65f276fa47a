extension TrialTimeline {
  /// A stored tool call: columns session, name, start, end, tokens of the result.
  struct ToolCall {
    var session: Int
    var name: String
    var started: Double
    var ended: Double
    var outputTokens: Int

    init(_ row: SQLRow) {
      session = row.int(0) ?? 0
      name = row.string(1) ?? ""
      started = row.double(2) ?? 0
      ended = row.double(3) ?? 0
      outputTokens = row.int(4) ?? 0
    }
  }

  /// Lays out the requests of one trial, in the order of play; nil when there are none.
  init?(
    _ requests: [MeasuredRequest], sessions: [(number: Int, name: String)], calls: [ToolCall]
  ) {
    guard let first = requests.first else { return nil }
    let origin = first.times.scheduled
    let shown = requests.prefix(Self.mostRequests)
    repetition = first.repetition
    omittedRequests = requests.count - shown.count
    lanes = []
    for session in sessions {
      var lane = Lane(name: session.name, spans: [], events: [])
      for request in shown where request.times.session == session.number {
        lane.add(request, origin: origin)
      }
      for call in calls where call.session == session.number { lane.add(call, origin: origin) }
      if !lane.events.isEmpty { lanes.append(lane) }
    }
    wall = lanes.reduce(0) { max($0, $1.events.reduce(0) { max($0, $1.end) }) }
  }
}

extension TrialTimeline.Lane {
  fileprivate mutating func add(_ request: MeasuredRequest, origin: Double) {
    func time(_ nanoseconds: Double) -> Double { (nanoseconds - origin) / 1e6 }
    let times = request.times
    let stamps: [(TrialTimeline.Activity, Double?)] = [
      (.queue, times.prefillStart), (.prefill, times.firstToken), (.decode, times.lastToken),
      (.finish, times.completed),
    ]
    var start = time(times.submitted)
    var parts: [String] = []
    for (activity, stamp) in stamps {
      guard let end = stamp.map(time) else { continue }
      // Stamps that fall belong to no clock of ours; nothing is drawn for them.
      if end > start {
        spans.append(TrialTimeline.Span(activity: activity, start: start, end: end))
        parts.append("\(activity.label) \(Quantity.milliseconds(end - start))")
      }
      start = max(start, end)
    }
    events.append(
      TrialTimeline.Event(
        start: time(times.submitted), end: start,
        text: "request \(request.number): \(times.promptTokens) tokens in, "
          + (times.cachedTokens.map { "\($0) of them cached, " } ?? "")
          + "\(times.outputTokens) out; "
          + parts.joined(separator: ", ")))
  }

  fileprivate mutating func add(_ call: TrialTimeline.ToolCall, origin: Double) {
    let start = (call.started - origin) / 1e6
    let end = max(start, (call.ended - origin) / 1e6)
    spans.append(TrialTimeline.Span(activity: .tool, start: start, end: end))
    events.append(
      TrialTimeline.Event(
        start: start, end: end,
        text: "tool \(call.name): \(Quantity.milliseconds(end - start)), "
          + "\(call.outputTokens) tokens of result"))
  }
}
