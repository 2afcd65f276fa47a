/// Reads HTML strictly and keeps what it found: enough to tell whether a page is well formed.
struct MarkupChecker {
  private(set) var problems: [String] = []
  private(set) var elements: [String] = []
  private(set) var attributes: [(element: String, name: String, value: String)] = []
  /// The text outside of scripts and styles, with references resolved.
  private(set) var text = ""
  /// Contents of script and style elements.
  private(set) var raw: [String] = []

  private var rest: Substring.UTF8View
  private var open: [String] = []

  private static let voids = ["meta", "link", "input", "br", "hr", "img"]
  private static let entities = [
    "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'",
  ]

  init(_ html: String) {
    rest = html[...].utf8
    guard take("<!DOCTYPE html>") else {
      problems.append("no document type")
      return
    }
    while !rest.isEmpty, problems.isEmpty { step() }
    if !open.isEmpty { problems.append("not closed: \(open)") }
  }

  private mutating func take(_ literal: String) -> Bool {
    guard rest.starts(with: literal.utf8) else { return false }
    rest = rest.dropFirst(literal.utf8.count)
    return true
  }

  private mutating func take(while condition: (UInt8) -> Bool) -> String {
    let part = rest.prefix(while: condition)
    rest = rest.dropFirst(part.count)
    return String(Substring(part))
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
      || byte == 0x2D
  }

  private mutating func step() {
    if take("</") {
      let name = take(while: Self.isName)
      if !take(">") { problems.append("a broken end tag \(name)") }
      if open.popLast() != name { problems.append("</\(name)> does not close what is open") }
    } else if take("<") {
      startTag()
    } else {
      text += resolved(take { $0 != 0x3C })
    }
  }

  private mutating func startTag() {
    let name = take(while: Self.isName)
    if name.isEmpty { problems.append("a bare <") }
    elements.append(name)
    while take(" ") {
      let key = take(while: Self.isName)
      guard !key.isEmpty, take("=\"") else {
        problems.append("a broken attribute of \(name)")
        return
      }
      let value = take { $0 != 0x22 }
      if value.utf8.contains(0x3C) { problems.append("a < in \(name).\(key)") }
      attributes.append((name, key, resolved(value)))
      _ = take("\"")
    }
    if take("/>") { return }
    guard take(">") else {
      problems.append("a broken tag \(name)")
      return
    }
    if Self.voids.contains(name) {
      problems.append("\(name) is not closed")
    } else if name == "script" || name == "style" {
      var content: [UInt8] = []
      while !rest.isEmpty, !rest.starts(with: "</".utf8) { content.append(rest.removeFirst()) }
      raw.append(String(decoding: content, as: UTF8.self))
      open.append(name)
    } else {
      open.append(name)
    }
  }

  /// The text with references replaced; an ampersand of any other kind is a problem.
  private mutating func resolved(_ text: String) -> String {
    var result = ""
    var rest = text.utf8[...]
    while let ampersand = rest.firstIndex(of: 0x26) {
      result += String(Substring(rest[..<ampersand]))
      rest = rest[ampersand...]
      guard let end = rest.firstIndex(of: 0x3B),
        let scalar = Self.entities[String(Substring(rest[...end]))]
      else {
        problems.append("an unknown reference: \(String(Substring(rest.prefix(12))))")
        return result
      }
      result += scalar
      rest = rest[rest.index(after: end)...]
    }
    return result + String(Substring(rest))
  }
}

extension MarkupChecker {
  /// Whether every anchor leads to an element, and no two elements have one name.
  var brokenAnchors: [String] {
    let names = attributes.filter { $0.name == "id" }.map(\.value)
    let anchors = attributes.filter { $0.name == "href" && $0.value.hasPrefix("#") }
      .map { String($0.value.dropFirst()) }
    let doubled = names.filter { name in names.count { $0 == name } > 1 }
    return anchors.filter { !names.contains($0) } + doubled
  }

  /// Attributes and styles that would make a browser fetch something.
  var fetches: [String] {
    let fetching = ["src", "href", "xlink:href", "srcset", "data", "action", "poster"]
    let links = attributes.filter {
      fetching.contains($0.name) && !$0.value.hasPrefix("#") && !$0.value.hasPrefix("data:")
    }.map(\.value)
    return links + raw.filter { $0.contains("url(") || $0.contains("@import") }
  }
}
