import Synchronization

/// What a span of work is; the nesting is session › request › inference › generation, and tool call.
package enum SpanKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// A model file being loaded.
  case load
  /// A conversation, from its first to its last use.
  case session
  /// What an application asks: a prompt until its answer, with all model and tool calls between.
  case request
  /// One call of a model by a session.
  case inference
  /// One request to the engine; its phases are ``queue``, ``prefill`` and ``decode``.
  case generation
  case queue, prefill, decode
  /// A tool that a model called, running.
  case toolCall
  /// A prompt computed ahead of its use.
  case prewarm
  /// What an application marked: a user's action, for one.
  case interval
}

/// Identifies a span within this process; ids rise in the order spans begin.
package struct SpanID: Sendable, Hashable, Comparable, Codable {
  package var value: UInt64

  package init(value: UInt64) { self.value = value }

  private static let counter = Atomic<UInt64>(0)

  /// A fresh id, never handed out before in this process.
  package static func next() -> SpanID {
    SpanID(value: counter.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  package static func < (left: SpanID, right: SpanID) -> Bool { left.value < right.value }
}

/// A fact attached to a span or an event: a count, a measure or a low-cardinality name, never content.
package enum TraceValue: Sendable, Hashable, Codable {
  case count(Int)
  case measure(Double)
  case name(String)
}

/// One attribute, in the order its emitter chose.
package struct TraceAttribute: Sendable, Hashable, Codable {
  package var key: String
  package var value: TraceValue

  package init(_ key: String, _ value: TraceValue) {
    self.key = key
    self.value = value
  }
}

/// Receives spans and events from every layer.
///
/// Implementations are called from any thread and must not block. Code that emits holds an
/// `(any Tracer)?`; nil is "off" and costs one comparison, of one pointer since tracers are classes.
package protocol Tracer: AnyObject, Sendable {
  /// A span began.
  func begin(
    _ span: SpanID, kind: SpanKind, parent: SpanID?, at instant: MonotonicInstant,
    attributes: [TraceAttribute])

  /// A span ended; `attributes` are those only known at its end.
  func end(_ span: SpanID, at instant: MonotonicInstant, attributes: [TraceAttribute])

  /// Something happened at one instant inside `span`.
  func event(
    _ name: String, in span: SpanID?, at instant: MonotonicInstant, attributes: [TraceAttribute])

  /// Whether ``content(_:_:in:)`` keeps anything; emitters make no text where it does not.
  var recordsContent: Bool { get }

  /// A text that belongs to `span`: a prompt, an answer, a tool's arguments or its output.
  ///
  /// Private data as a rule. A tracer drops it unless its user asked for content.
  func content(_ key: String, _ text: String, in span: SpanID)
}

extension Tracer {
  /// False.
  package var recordsContent: Bool { false }

  /// Drops the text.
  package func content(_ key: String, _ text: String, in span: SpanID) {}
}
