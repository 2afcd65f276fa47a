import Synchronization

/// The formats that JSON Schema names, as automata over the UTF-8 of a string's text.
///
/// Each accepts texts of the format only, though not all of them: what is rare and what validators
/// disagree on is left out.
package enum StringFormat {
  /// The texts of a format; nil for one that is not known, which is then a mere annotation.
  ///
  /// Throws `unsupported` for `regex`, whose texts no automaton can tell. Made once for each name.
  package static func automaton(_ name: String) throws(GrammarError) -> ByteAutomaton? {
    if name == "regex" {
      throw .unsupported(
        path: "", keyword: "format", reason: "whether a text is a pattern is beyond an automaton")
    }
    if let automaton = known.withLock({ $0[name] }) { return automaton }
    guard let parts = parts(of: name) else { return nil }
    var automaton = try Pattern.automaton(parts.pattern, mode: .wholeMatch)
    if let length = parts.length {
      let short = try Pattern.automaton("[!-~]{0,\(length)}", mode: .wholeMatch)
      automaton = try automaton.intersection(short) ?? automaton
    }
    if let prefix = parts.prefix {
      automaton = try .concatenation([
        Pattern.automaton(prefix, mode: .wholeMatch), automaton,
      ])
    }
    known.withLock { $0[name] = automaton }
    return automaton
  }

  /// The formats that ``automaton(_:)`` knows, in order.
  package static let names = [
    "date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4",
    "ipv6", "iri", "iri-reference", "json-pointer", "relative-json-pointer", "time", "uri",
    "uri-reference", "uri-template", "uuid",
  ]

  private static let known = Mutex<[String: ByteAutomaton]>([:])

  /// What a format is made of: a pattern, and what may bound and precede it.
  private struct Parts {
    var prefix: String?
    var pattern: String
    /// The most characters, all of them ASCII, after the prefix.
    var length: Int?
  }

  private static func parts(of name: String) -> Parts? {
    switch name {
    case "date": Parts(pattern: date)
    case "time": Parts(pattern: time)
    case "date-time": Parts(pattern: "(?:\(date))T\(time)")
    case "duration": Parts(pattern: duration)
    case "uuid": Parts(pattern: "\(hex){8}(?:-\(hex){4}){3}-\(hex){12}")
    case "ipv4": Parts(pattern: ipv4)
    case "ipv6": Parts(pattern: ipv6)
    // At 63 characters no label can be too long.
    case "hostname", "idn-hostname": Parts(pattern: hostname, length: 63)
    case "email", "idn-email":
      Parts(prefix: "\(localPart)@", pattern: "(?:\(label)\\.)+[A-Za-z]{2,}", length: 63)
    case "uri", "iri": Parts(pattern: uri)
    case "uri-reference", "iri-reference": Parts(pattern: "(?:\(uri))|(?:\(relativeReference))")
    case "uri-template": Parts(pattern: uriTemplate)
    case "json-pointer": Parts(pattern: jsonPointer)
    case "relative-json-pointer": Parts(pattern: "(?:0|[1-9]\\d{0,8})(?:#|\(jsonPointer))")
    default: nil
    }
  }
}

/// Dates and times of RFC 3339, from year 1 on and without leap seconds.
extension StringFormat {
  /// The month's days without the 29th of February, then that in leap years.
  private static let date: String = {
    let year = "(?:000[1-9]|00[1-9]\\d|0[1-9]\\d{2}|[1-9]\\d{3})"
    let day = "0[1-9]|1\\d|2[0-8]"
    let days = [
      "(?:0[1-9]|1[0-2])-(?:\(day))", "(?:0[13-9]|1[0-2])-(?:29|30)", "(?:0[13578]|1[02])-31",
    ]
    let leapYear = "(?:\\d{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
    return "\(year)-(?:\(days.joined(separator: "|")))|\(leapYear)-02-29"
  }()

  private static let time =
    "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)"

  /// ISO 8601 as RFC 3339's appendix A has it: units without gaps, or weeks alone.
  private static let duration: String = {
    let count = "\\d{1,9}"
    let days = "\(count)D"
    let months = "\(count)M(?:\(days))?"
    let years = "\(count)Y(?:\(months))?"
    let seconds = "\(count)S"
    let minutes = "\(count)M(?:\(seconds))?"
    let hours = "\(count)H(?:\(minutes))?"
    let clock = "T(?:\(hours)|\(minutes)|\(seconds))"
    return "P(?:\(count)W|(?:\(years)|\(months)|\(days))(?:\(clock))?|\(clock))"
  }()
}

/// Names and addresses of the Internet.
extension StringFormat {
  private static let hex = "[0-9A-Fa-f]"
  /// Single hyphens inside only, so there is no encoded label that would have to be decoded.
  private static let label = "[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
  private static let hostname = "\(label)(?:\\.\(label))*"
  private static let byte = "(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)"
  private static let ipv4 = "\(byte)(?:\\.\(byte)){3}"

  /// Up to 63 characters in dotted runs, as RFC 5321 has them without quotes.
  private static let localPart: String = {
    let character = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
    return "\(character)(?:\\.?\(character)){0,31}"
  }()

  private static let ipv6: String = {
    let group = "\(hex){1,4}"
    let tails = (1...6).map { count in
      "(?:\(group):){1,\(7 - count)}(?::\(group)){1,\(count)}"
    }
    let forms =
      ["(?:\(group):){7}\(group)", "(?:\(group):){1,7}:", ":(?:(?::\(group)){1,7}|:)"] + tails
      + ["::(?:[fF]{4}:)?\(ipv4)", "(?:\(group):){6}\(ipv4)"]
    return forms.map { "(?:\($0))" }.joined(separator: "|")
  }()
}

/// Identifiers of RFC 3986, with host names that are no worse than they have to be.
extension StringFormat {
  private static let escape = "%\(hex){2}"
  private static let segmentCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|\(escape))"
  private static let authority: String = {
    let user = "(?:[A-Za-z0-9._~!$&'()*+,;=:-]|\(escape))*@"
    let port = ":(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3})"
    return "(?:\(user))?(?:\(hostname)|\\[(?:\(ipv6))\\])(?:\(port))?"
  }()
  private static let pathAfterAuthority = "(?:/\(segmentCharacter)*)*"
  private static let absolutePath = "/(?:\(segmentCharacter)+(?:/\(segmentCharacter)*)*)?"
  private static let suffix: String = {
    let query = "(?:\(segmentCharacter)|[/?])*"
    return "(?:\\?\(query))?(?:#\(query))?"
  }()

  private static let uri: String = {
    let rootless = "\(segmentCharacter)+(?:/\(segmentCharacter)*)*"
    let path = "//\(authority)\(pathAfterAuthority)|\(absolutePath)|\(rootless)"
    return "[A-Za-z][A-Za-z0-9+.-]*:(?:\(path))\(suffix)"
  }()

  private static let relativeReference: String = {
    let first = "(?:[A-Za-z0-9._~!$&'()*+,;=@-]|\(escape))+"
    let path =
      "//\(authority)\(pathAfterAuthority)|\(absolutePath)|\(first)\(pathAfterAuthority)"
    return "(?:\(path))?\(suffix)"
  }()

  /// Literals and expressions of RFC 6570, names without escapes.
  private static let uriTemplate: String = {
    let literal = "[A-Za-z0-9._~!$&()*+,;=:@/?#\\[\\]-]|\(escape)"
    let name = "[A-Za-z0-9_]+(?:\\.[A-Za-z0-9_]+)*(?::[1-9]\\d{0,3}|\\*)?"
    return "(?:\(literal)|\\{[+#./;?&]?\(name)(?:,\(name))*\\})*"
  }()

  private static let jsonPointer = "(?:/(?:[^/~]|~[01])*)*"
}
