package import FMCore

/// A tool that a session describes to its model: an event of the session's span.
package struct OfferedTool: Sendable, Hashable {
  static let eventName = "tool_offered"

  package var name: String
  /// Bytes of its name, its description and the form of its arguments.
  package var bytes: Int

  /// A tool by its name and the size of its description.
  package init(name: String, bytes: Int) {
    self.name = name
    self.bytes = bytes
  }

  /// Records that the session offers the tool.
  package func record(in session: SpanID, by tracer: any Tracer) {
    tracer.event(
      Self.eventName, in: session, at: .now,
      attributes: [
        TraceAttribute("tool", .name(name)), TraceAttribute("definition_bytes", .count(bytes)),
      ])
  }

  /// What ``record(in:by:)`` recorded; nil for other events.
  init?(_ event: TraceEvent) {
    guard event.name == Self.eventName else { return nil }
    var (name, bytes) = (String?.none, 0)
    for attribute in event.attributes {
      switch (attribute.key, attribute.value) {
      case ("tool", .name(let value)): name = value
      case ("definition_bytes", .count(let value)): bytes = value
      default: continue
      }
    }
    guard let name else { return nil }
    self.init(name: name, bytes: bytes)
  }
}
