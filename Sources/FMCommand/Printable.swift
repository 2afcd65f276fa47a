/// Text from outside made safe for a terminal.
package enum Printable {
  /// `text` with control characters escaped (`\n`, `\u{1b}`), cut to `limit` scalars.
  package static func text(_ text: String, limit: Int = 200) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == limit { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        result += escape(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A message that may quote anything: its line feeds kept, the rest as ``text(_:limit:)``.
  ///
  /// Lines are cut at 2,000 scalars and the message after 50 lines.
  package static func message(_ text: String) -> String {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.prefix(50).map {
      Self.text(String(String.UnicodeScalarView($0)), limit: 2000)
    }
    return shown.joined(separator: "\n") + (lines.count > shown.count ? "\n…" : "")
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }
}
