/// The forms a trace can be written in.
package enum TraceFormat: String, Sendable, CaseIterable {
  /// A tree for people, with the answers of the review.
  case text
  /// A page with a timeline, complete in itself.
  case html
  /// Chrome's trace events, which Perfetto opens too.
  case chrome
  /// A request to export spans of the OpenTelemetry protocol, as JSON.
  case otlp
  /// The form that is written while a program runs.
  case jsonl

  /// The format that a file's name asks for; nil where its ending is not known.
  package init?(path: String) {
    if path.hasSuffix(".otlp.json") {
      self = .otlp
    } else if path.hasSuffix(".json") {
      self = .chrome
    } else if path.hasSuffix(".jsonl") {
      self = .jsonl
    } else if path.hasSuffix(".html") || path.hasSuffix(".htm") {
      self = .html
    } else if path.hasSuffix(".txt") {
      self = .text
    } else {
      return nil
    }
  }

  /// The format of a name.
  ///
  /// - Throws: ``TraceError/unknownFormat(_:known:)``.
  package init(named name: String) throws(TraceError) {
    guard let format = TraceFormat(rawValue: name) else {
      throw .unknownFormat(name, known: Self.allCases.map(\.rawValue))
    }
    self = format
  }

  /// The trace in this form, with the texts it has.
  package func bytes(of trace: Trace) -> [UInt8] {
    switch self {
    case .jsonl: return trace.lines
    case .text:
      let tree = TraceTree(trace)
      return Array(TextTrace(tree, review: TraceReview(tree)).text.utf8)
    case .html:
      let tree = TraceTree(trace)
      return Array(HTMLTrace(tree, review: TraceReview(tree)).text.utf8)
    case .chrome: return ChromeTrace(TraceTree(trace)).bytes
    case .otlp: return OTLPTrace(TraceTree(trace)).bytes
    }
  }
}
