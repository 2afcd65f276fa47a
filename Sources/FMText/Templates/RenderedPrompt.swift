/// A prompt in stretches that say who wrote them: the template or the caller.
///
/// Special tokens may be read from template stretches only, so that nothing a user, a tool or a
/// document says becomes a control token.
package struct RenderedPrompt: Sendable, Equatable {
  /// A stretch of one origin; neighbours differ in origin, and none is empty.
  package struct Span: Sendable, Equatable {
    package var bytes: [UInt8]
    package var isTemplate: Bool

    package init(bytes: [UInt8], isTemplate: Bool) {
      self.bytes = bytes
      self.isTemplate = isTemplate
    }
  }

  package let spans: [Span]

  /// Drops empty spans and joins neighbours of one origin.
  package init(spans: [Span]) {
    var merged: [Span] = []
    for span in spans where !span.bytes.isEmpty {
      if merged.last?.isTemplate == span.isTemplate {
        merged[merged.count - 1].bytes.append(contentsOf: span.bytes)
      } else {
        merged.append(span)
      }
    }
    self.spans = merged
  }

  init(_ text: ProvenanceText) {
    var spans: [Span] = []
    text.forEachRun(in: text.bytes.indices) { range, isTemplate in
      spans.append(Span(bytes: Array(text.bytes[range]), isTemplate: isTemplate))
    }
    self.init(spans: spans)
  }

  /// The whole prompt's bytes, valid UTF-8.
  package var bytes: [UInt8] { spans.flatMap(\.bytes) }

  /// The whole prompt.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
