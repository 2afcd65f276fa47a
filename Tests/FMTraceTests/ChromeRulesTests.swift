import FMCore
import FMTrace
import Foundation
import Testing

/// The rules that trace events have to follow to be read and drawn as they are meant.
enum ChromeRules {
  struct Event {
    var phase: String
    var name: String
    /// Nanoseconds.
    var time: Int
    var duration: Int
    var process: Int
    var thread: Int
    var category: String
    var id: String?
    var arguments: [String: Any]
  }

  /// The events of a file, and what breaks a rule.
  static func check(_ bytes: [UInt8]) throws -> (events: [Event], problems: [String]) {
    let json = try JSONSerialization.jsonObject(with: Data(bytes))
    guard let top = json as? [String: Any], let list = top["traceEvents"] as? [[String: Any]] else {
      return ([], ["no traceEvents"])
    }
    var problems: [String] = []
    var events: [Event] = []
    for (number, entry) in list.enumerated() {
      guard let event = event(entry) else {
        problems.append("event \(number) lacks what every event has")
        continue
      }
      events.append(event)
    }
    problems += timeProblems(events) + nestingProblems(events) + pairProblems(events)
    return (events, problems)
  }

  private static func event(_ entry: [String: Any]) -> Event? {
    guard let phase = entry["ph"] as? String, let name = entry["name"] as? String,
      let process = entry["pid"] as? Int, let thread = entry["tid"] as? Int
    else { return nil }
    func nanoseconds(_ key: String) -> Int? {
      (entry[key] as? Double).map { Int(($0 * 1000).rounded()) }
    }
    if phase == "M" {
      return Event(
        phase: phase, name: name, time: 0, duration: 0, process: process, thread: thread,
        category: "", id: nil, arguments: entry["args"] as? [String: Any] ?? [:])
    }
    guard ["X", "b", "e", "i", "C"].contains(phase), let time = nanoseconds("ts"), time >= 0,
      let category = entry["cat"] as? String
    else { return nil }
    if phase == "X", nanoseconds("dur").map({ $0 < 0 }) ?? true { return nil }
    if phase == "i", entry["s"] as? String != "t" { return nil }
    return Event(
      phase: phase, name: name, time: time, duration: nanoseconds("dur") ?? 0, process: process,
      thread: thread, category: category, id: entry["id"] as? String,
      arguments: entry["args"] as? [String: Any] ?? [:])
  }

  /// Metadata comes first, and times never fall.
  private static func timeProblems(_ events: [Event]) -> [String] {
    var problems: [String] = []
    var last = 0
    var isInside = false
    for event in events {
      if event.phase == "M" {
        if isInside { problems.append("metadata \(event.name) is not at the front") }
        continue
      }
      isInside = true
      if event.time < last { problems.append("\(event.name) goes back in time") }
      last = max(last, event.time)
    }
    return problems
  }

  /// Complete events of one lane are inside or beside each other, and their lane has a name.
  private static func nestingProblems(_ events: [Event]) -> [String] {
    var problems: [String] = []
    let named = Set(events.filter { $0.name == "thread_name" }.map(\.thread))
    var open: [Int: [Int]] = [:]
    for event in events where event.phase == "X" {
      if !named.contains(event.thread) { problems.append("lane \(event.thread) has no name") }
      var ends = open[event.thread] ?? []
      while let end = ends.last, end <= event.time { ends.removeLast() }
      if let end = ends.last, event.time + event.duration > end {
        problems.append("\(event.name) sticks out of what is open on lane \(event.thread)")
      }
      ends.append(event.time + event.duration)
      open[event.thread] = ends
    }
    return problems
  }

  /// Every begin of an id has one end, later in the file, with the same category and name.
  private static func pairProblems(_ events: [Event]) -> [String] {
    var problems: [String] = []
    var open: [String: Event] = [:]
    var seen: Set<String> = []
    for event in events where event.phase == "b" || event.phase == "e" {
      guard let id = event.id else {
        problems.append("\(event.name) has no id")
        continue
      }
      if event.phase == "b" {
        if !seen.insert(id).inserted { problems.append("id \(id) begins twice") }
        open[id] = event
      } else if let begin = open.removeValue(forKey: id) {
        if begin.name != event.name || begin.category != event.category {
          problems.append("id \(id) ends as another")
        }
      } else {
        problems.append("id \(id) ends without its begin")
      }
    }
    return problems + open.keys.sorted().map { "id \($0) never ends" }
  }
}

@Suite struct ChromeRulesTests {
  @Test(arguments: [false, true])
  func `an agent's trace follows the rules and keeps every span`(hasContent: Bool) throws {
    let builder = TraceBuilder.agent(hasContent: hasContent)
    let (events, problems) = try ChromeRules.check(TraceFormat.chrome.bytes(of: builder.trace))
    #expect(problems.isEmpty, "\(problems)")
    let spans = builder.trace.spans
    #expect(events.count { $0.phase == "X" } == spans.count { $0.kind != .interval })
    #expect(events.count { $0.phase == "b" } == 2)
    #expect(events.count { $0.phase == "i" } == 2)
    let calls = events.filter { $0.name == "search" }
    #expect(Set(calls.map(\.thread)).count == 2)
    let call = try #require(events.first { $0.name == "inference tiny" })
    #expect(call.arguments["prompt_tokens"] as? Int == 300)
    #expect(call.duration == 500_000_000)
    let open = events.filter { $0.arguments["open"] != nil }
    #expect(open.count == 2)
    #expect(events.contains { $0.phase == "C" && $0.arguments["tokens"] as? Int == 440 })
    let contents = events.compactMap { $0.arguments["prompt"] as? String }
    #expect(contents == (hasContent ? ["Mail <ann@example.com> & go"] : []))
  }

  @Test func `sessions have lanes of their own`() throws {
    let bytes = TraceFormat.chrome.bytes(of: TraceBuilder.agent().trace)
    let (events, _) = try ChromeRules.check(bytes)
    let names = events.filter { $0.name == "thread_name" }.compactMap {
      $0.arguments["name"] as? String
    }
    #expect(
      names == [
        "app", "without a session", "session 1", "session 1 (2)", "session 2",
      ])
  }

  @Test func `any spans follow the rules`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    for _ in 0..<100 {
      let trace = RandomTrace.make(using: &random)
      let (events, problems) = try ChromeRules.check(TraceFormat.chrome.bytes(of: trace))
      #expect(problems.isEmpty, "\(problems.prefix(3))")
      #expect(
        events.count { $0.phase == "X" || $0.phase == "b" } == trace.spans.count)
    }
  }

  @Test func `the rules find what breaks them`() throws {
    func problems(_ events: String) throws -> [String] {
      let lane = #"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"x"}}"#
      return try ChromeRules.check(Array(#"{"traceEvents":[\#(lane),\#(events)]}"#.utf8)).problems
    }
    func event(_ phase: String, _ time: Double, _ rest: String, thread: Int = 1) -> String {
      #"{"ph":"\#(phase)","name":"n","cat":"c","pid":1,"tid":\#(thread),"ts":\#(time)\#(rest)}"#
    }
    let outer = event("X", 0, #","dur":10"#)
    #expect(try problems(outer + "," + event("X", 5, #","dur":5"#)).isEmpty)
    #expect(try problems(outer + "," + event("X", 5, #","dur":6"#)).count == 1)
    #expect(try problems(outer + "," + event("X", 5, "")).count == 1)
    #expect(try problems(event("X", 0, #","dur":1"#, thread: 2)).count == 1)
    // Back in time, and around what is open.
    #expect(try problems(event("X", 3, #","dur":1"#) + "," + outer).count == 2)
    #expect(try problems(event("b", 1, #","id":"1""#)).count == 1)
    #expect(try problems(event("e", 1, #","id":"1""#)).count == 1)
    #expect(try problems(event("b", 1, "")).count == 1)
  }
}

/// Traces of spans that overlap in every way, with parents that end before their children.
enum RandomTrace {
  static func make(using random: inout SplitMix) -> Trace {
    var builder = TraceBuilder()
    var ids: [SpanID] = []
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      let parent =
        ids.isEmpty || Bool.random(using: &random) ? nil : ids.randomElement(using: &random)
      let kind = SpanKind.allCases.randomElement(using: &random) ?? .request
      // Few different times, so that many begin or end together.
      let start = Double(Int.random(in: 0...12, using: &random)) * 0.000_001
      let length = Double(Int.random(in: 0...9, using: &random)) * 0.000_000_5
      let isOpen = Int.random(in: 0..<10, using: &random) == 0
      ids.append(builder.span(kind, in: parent, at: start, length: isOpen ? nil : length))
      if Bool.random(using: &random) { builder.event("e", in: ids.last, at: start) }
    }
    return builder.trace
  }
}
