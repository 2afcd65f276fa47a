/// Writes HTML and SVG: every value is escaped, and names of elements and attributes are literals.
///
/// What comes from a database, a model's name or a label, can therefore never become markup. Elements
/// are closed by the writer, so the text is balanced.
package struct MarkupWriter: Sendable {
  /// The text so far, UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// Attributes in the order they are written; those with an empty value are left out.
  package typealias Attributes = KeyValuePairs<StaticString, String>

  /// Strings are cut after so many scalars; nothing a person reads in a page is longer.
  private static let longestText = 4_000

  package init() {}

  /// Writes `<name attributes>`, what `content` writes, and the end of the element.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:],
    _ content: (inout MarkupWriter) -> Void
  ) {
    start(name, attributes, isEmpty: false)
    content(&self)
    literal("</")
    literal(name)
    literal(">")
  }

  /// Writes an element that holds `text`.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes an element without content: a void element of HTML or an empty one of SVG.
  package mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
    start(name, attributes, isEmpty: true)
  }

  /// Writes text, escaped.
  package mutating func text(_ text: String) { escape(text) }

  /// Writes text of this program as it is: styles, scripts, marks of the language.
  package mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a line feed, for people who read the source.
  package mutating func line() { bytes.append(0x0A) }

  /// Writes JSON inside a script element, so that nothing in it can end the element.
  ///
  /// `<`, `>` and `&` and the separators U+2028 and U+2029 occur in strings alone, where JSON lets
  /// them be written by number.
  package mutating func json(_ json: String) {
    for scalar in json.unicodeScalars {
      switch scalar.value {
      case 0x3C, 0x3E, 0x26, 0x2028, 0x2029:
        let digits = String(scalar.value, radix: 16)
        literal("\\u")
        for _ in digits.utf8.count..<4 { bytes.append(0x30) }
        bytes.append(contentsOf: digits.utf8)
      default: append(scalar)
      }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
  }

  private mutating func start(
    _ name: StaticString, _ attributes: Attributes, isEmpty: Bool
  ) {
    literal("<")
    literal(name)
    for (key, value) in attributes where !value.isEmpty {
      literal(" ")
      literal(key)
      literal("=\"")
      escape(value, limit: .max)
      literal("\"")
    }
    literal(isEmpty ? "/>" : ">")
  }

  private mutating func escape(_ text: String, limit: Int = longestText) {
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > limit { return literal("…") }
      switch scalar {
      case "&": literal("&amp;")
      case "<": literal("&lt;")
      case ">": literal("&gt;")
      case "\"": literal("&quot;")
      case "'": literal("&#39;")
      case _ where scalar.value >= 0x20 && scalar.value < 0x7F || scalar == "\n" || scalar == "\t":
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      default: append(Self.visible(scalar))
      }
    }
  }

  /// The scalar, or U+FFFD for one that controls how other text is shown.
  private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
      "\u{FFFD}"
    default: scalar
    }
  }
}
