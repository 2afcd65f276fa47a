package import FMCore

/// What calls of one tool an action is to make, as its application declares them.
///
/// A declaration is an event of the action's interval: a tool's name, numbers, and of the words that the
/// arguments are to be about a sketch, so it says no more than the calls themselves do.
package struct ExpectedCall: Sendable, Hashable {
  /// The attribute of an interval that says how many tools it declares, none included.
  package static let countKey = "expected_tools"
  static let eventName = "expected_tool"

  package var tool: String
  /// How often the action calls it; 0 at the lower end where it may not.
  package var calls: ClosedRange<Int>
  /// The most words one of its texts may have; nil for any number.
  package var mostWords: Int?
  /// The sketch and the number of trigrams of what the arguments are to be about; nil for anything.
  var topic: Topic?

  /// Words that arguments are compared with.
  struct Topic: Sendable, Hashable {
    var sketch: String
    var trigrams: Int
  }

  /// A declaration; `about` is a literal of the application's, compared by fingerprint and kept nowhere.
  package init(
    tool: String, calls: ClosedRange<Int> = 1...Int.max, about: String? = nil,
    mostWords: Int? = nil, fingerprint: ContentFingerprint = .process
  ) {
    self.tool = tool
    self.calls = calls
    self.mostWords = mostWords
    if let about, let sketch = fingerprint.sketch(about) {
      topic = Topic(sketch: sketch, trigrams: ContentFingerprint.trigramCount(about))
    }
  }

  /// Records the declaration in the interval it is for, which has ``countKey``.
  package func record(in interval: SpanID, by tracer: any Tracer) {
    var attributes = [
      TraceAttribute("tool", .name(tool)), TraceAttribute("calls_least", .count(calls.lowerBound)),
    ]
    if calls.upperBound < .max {
      attributes.append(TraceAttribute("calls_most", .count(calls.upperBound)))
    }
    if let mostWords { attributes.append(TraceAttribute("words_most", .count(mostWords))) }
    if let topic {
      attributes += [
        TraceAttribute("arguments_sketch", .name(topic.sketch)),
        TraceAttribute("arguments_trigrams", .count(topic.trigrams)),
      ]
    }
    tracer.event(Self.eventName, in: interval, at: .now, attributes: attributes)
  }

  /// What ``record(in:by:)`` recorded; nil for other events.
  init?(_ event: TraceEvent) {
    // An event has a span's attributes, and a span knows how to read them.
    let facts = TraceSpan(
      id: SpanID(value: 0), kind: .interval, parent: nil, begin: event.instant, end: nil,
      attributes: event.attributes)
    guard event.name == Self.eventName, let tool = facts.name("tool") else { return nil }
    self.tool = tool
    let least = max(0, facts.count("calls_least") ?? 1)
    calls = least...max(least, facts.count("calls_most") ?? .max)
    mostWords = facts.count("words_most")
    if let sketch = facts.name("arguments_sketch"),
      let trigrams = facts.count("arguments_trigrams")
    {
      topic = Topic(sketch: sketch, trigrams: trigrams)
    }
  }

  /// Whether a call's arguments are about the topic; nil where that can't be told.
  func fits(_ call: TraceSpan, _ limits: ReviewThresholds) -> Bool? {
    guard let topic, let sketch = call.name("arguments_sketch"),
      let similarity = ContentFingerprint.similarity(topic.sketch, sketch)
    else { return nil }
    if similarity >= limits.similarity { return true }
    guard let trigrams = call.count("arguments_trigrams") else { return nil }
    return ContentFingerprint.containment(
      similarity: similarity, trigrams: topic.trigrams, trigrams) >= limits.containment
  }
}
