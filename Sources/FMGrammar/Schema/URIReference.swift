/// Resolves references between the resources of one document (RFC 3986, section 5.2).
///
/// Nothing is fetched: addresses are only compared.
enum URIReference {
  /// An address and the fragment after its `#`, percent-decoded.
  struct Target: Equatable {
    var address: String
    var fragment: String
  }

  static func resolve(_ reference: String, against base: String) -> Target {
    let (address, fragment) = split(reference, at: "#")
    return Target(address: join(address, base), fragment: decoded(fragment))
  }

  private static func split(_ text: String, at mark: Unicode.Scalar) -> (String, String) {
    let scalars = text.unicodeScalars
    guard let index = scalars.firstIndex(of: mark) else { return (text, "") }
    return (
      String(scalars[..<index]), String(scalars[scalars.index(after: index)...])
    )
  }

  private static func join(_ reference: String, _ base: String) -> String {
    if reference.isEmpty { return base }
    if scheme(of: reference) != nil { return reference }
    let scheme = scheme(of: base).map { $0 + ":" } ?? ""
    let rest = String(base.unicodeScalars.dropFirst(scheme.unicodeScalars.count))
    if reference.hasPrefix("//") { return scheme + reference }
    var authority = ""
    var path = rest
    if rest.hasPrefix("//") {
      let afterMarks = rest.unicodeScalars.dropFirst(2)
      let end = afterMarks.firstIndex(where: { $0 == "/" || $0 == "?" }) ?? afterMarks.endIndex
      authority = "//" + String(afterMarks[..<end])
      path = String(afterMarks[end...])
    }
    path = split(path, at: "?").0
    if reference.hasPrefix("?") { return scheme + authority + path + reference }
    let (referencePath, query) = split(reference, at: "?")
    let suffix = reference.unicodeScalars.contains("?") ? "?" + query : ""
    if referencePath.hasPrefix("/") {
      return scheme + authority + withoutDots(referencePath) + suffix
    }
    let scalars = path.unicodeScalars
    var folder = "/"
    if let slash = scalars.lastIndex(of: "/") {
      folder = String(scalars[...slash])
    } else if authority.isEmpty {
      folder = ""
    }
    return scheme + authority + withoutDots(folder + referencePath) + suffix
  }

  private static func scheme(of text: String) -> String? {
    let scalars = text.unicodeScalars
    guard let end = scalars.firstIndex(of: ":"), end != scalars.startIndex else { return nil }
    let name = scalars[..<end]
    let isName = name.allSatisfy {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
        || $0 == "+" || $0 == "-" || $0 == "."
    }
    return isName ? String(name) : nil
  }

  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring.UnicodeScalarView] = []
    let parts = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      if part.elementsEqual(".".unicodeScalars) {
        if isLast { kept.append(Substring("").unicodeScalars) }
      } else if part.elementsEqual("..".unicodeScalars) {
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append(Substring("").unicodeScalars) }
      } else {
        kept.append(part)
      }
    }
    return kept.map { String($0) }.joined(separator: "/")
  }

  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var index = 0
    while index < source.count {
      if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
        let high = digit(source[index + 1]), let low = digit(source[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
