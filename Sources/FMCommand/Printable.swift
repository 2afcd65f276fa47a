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

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }
}
