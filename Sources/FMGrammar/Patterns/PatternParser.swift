/// Reads a regular expression as ECMA-262 does with its `u` flag.
///
/// Beyond that it takes what is no error without the flag and means one thing only: `{`, `}` and `]` that
/// stand for themselves, and any escaped punctuation. What no finite automaton can do is refused by name.
struct PatternParser {
  /// A look-ahead at the very beginning of every match.
  struct Condition {
    var tree: PatternNode
    var isNegative: Bool
  }

  /// Where in a text what is read next can be.
  private enum Place {
    /// Anywhere, with nothing read yet; at the text's beginning; behind something.
    case anywhere, textStart, behind
  }

  private static let conditionLimit = 16

  let source: String
  let scalars: [UInt32]
  let limits: AutomatonLimits
  var position = 0
  var flags: PatternFlags
  /// Whether what is read next is left out of what its brackets or its look-ahead let through.
  var isNegated: Bool
  /// What the text has to begin with, and with what it must not.
  private(set) var conditions: [Condition] = []
  private var place: Place
  private var isInCondition = false
  private var depth = 0

  /// - Parameter isSearch: Whether a match may begin anywhere in a text.
  init(
    _ source: String, flags: PatternFlags, isSearch: Bool, reading: Pattern.Reading,
    limits: AutomatonLimits
  ) throws(GrammarError) {
    isNegated = reading == .widest
    place = isSearch ? .anywhere : .textStart
    guard source.utf8.count <= limits.sourceBytes else {
      throw .limitExceeded(.sourceBytes, limit: limits.sourceBytes)
    }
    self.source = source
    self.limits = limits
    self.flags = flags
    scalars = source.unicodeScalars.map(\.value)
  }

  /// The whole pattern.
  mutating func parse() throws(GrammarError) -> PatternNode {
    let node = try parseChoice()
    if position < scalars.count { throw invalid("a ')' without its '('") }
    return node
  }

  // MARK: Places and errors

  var current: UInt32? { position < scalars.count ? scalars[position] : nil }

  func peek(_ offset: Int) -> UInt32? {
    position + offset < scalars.count ? scalars[position + offset] : nil
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == character.value else { return false }
    position += 1
    return true
  }

  mutating func take(_ text: String) -> Bool {
    let wanted = text.unicodeScalars.map(\.value)
    guard scalars[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  func invalid(_ reason: String, at place: Int? = nil) -> GrammarError {
    let end = place ?? position
    let offset = source.unicodeScalars.prefix(end).reduce(0) { $0 + UTF8.width($1) }
    return .invalidPattern(pattern: source, offset: offset, reason: reason)
  }

  func unsupported(_ construct: String) -> GrammarError {
    .unsupported(path: "", keyword: "pattern", reason: "\(construct) is not supported in patterns")
  }

  // MARK: Structure

  /// `one|other|...`, up to a `)` or the end.
  private mutating func parseChoice() throws(GrammarError) -> PatternNode {
    var options: [PatternNode] = []
    let (start, known) = (place, conditions.count)
    repeat {
      place = start
      options.append(try parseSequence())
    } while take("|")
    guard options.count > 1 else { return options[0] }
    if conditions.count > known { throw unsupported("a look-ahead in one of several alternatives") }
    place = .behind
    return .choice(options)
  }

  private mutating func parseSequence() throws(GrammarError) -> PatternNode {
    var parts: [PatternNode] = []
    while let scalar = current, scalar != UInt32(code: "|"), scalar != UInt32(code: ")") {
      let (start, known) = (position, conditions.count)
      guard let atom = try parseAtom() else { continue }
      let end = position
      parts.append(try parseQuantifier(of: atom, from: start))
      guard position > end else { continue }
      if conditions.count > known { throw unsupported("a look-ahead that is repeated") }
      place = .behind
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// One thing that may be repeated; nil for flags, which are nothing by themselves.
  private mutating func parseAtom() throws(GrammarError) -> PatternNode? {
    guard let scalar = current else { return .empty }
    position += 1
    if scalar == UInt32(code: "("), let isNegative = takeLookAhead() {
      return try parseLookAhead(isNegative: isNegative)
    }
    // What is in a group sets the place itself.
    if scalar == UInt32(code: "(") { return try parseGroup() }
    let isStart = scalar == UInt32(code: "^") && !flags.anchorsMatchLines && place != .behind
    place = isStart ? .textStart : .behind
    switch scalar {
    case UInt32(code: "."):
      return .scalar(flags.dotMatchesLineEnds ? .all : ScalarSet.lineEnds.complement)
    case UInt32(code: "^"): return .assertion(flags.anchorsMatchLines ? .lineStart : .textStart)
    case UInt32(code: "$"): return .assertion(flags.anchorsMatchLines ? .lineEnd : .textEnd)
    case UInt32(code: "["): return .scalar(try parseClass())
    case UInt32(code: "\\"): return try parseEscape()
    case UInt32(code: "*"), UInt32(code: "+"), UInt32(code: "?"):
      throw invalid("a quantifier with nothing to repeat", at: position - 1)
    case UInt32(code: "{"):
      position -= 1
      if try parseCounts() != nil {
        throw invalid("a quantifier with nothing to repeat")
      }
      position += 1
      return .scalar(ScalarSet(scalar))
    default: return .scalar(folded(ScalarSet(scalar)))
    }
  }

  private mutating func parseGroup() throws(GrammarError) -> PatternNode? {
    depth += 1
    defer { depth -= 1 }
    if depth > limits.depth { throw .limitExceeded(.depth, limit: limits.depth) }
    let start = position - 1
    let outer = flags
    if take("?") {
      guard try parseGroupKind() else { return nil }
    } else if current == UInt32(code: "*") {
      throw unsupported("'(*'")
    }
    let node = try parseChoice()
    guard take(")") else { throw invalid("a '(' without its ')'", at: start) }
    flags = outer
    return node
  }

  /// Takes `?=` or `?!`; whether it was the second, nil for neither.
  private mutating func takeLookAhead() -> Bool? {
    take("?!") ? true : take("?=") ? false : nil
  }

  /// What stands after `(?=` or `(?!`: kept as a condition on the whole text, which it is at its beginning.
  private mutating func parseLookAhead(isNegative: Bool) throws(GrammarError) -> PatternNode {
    let mark = isNegative ? "'(?!'" : "'(?='"
    guard place == .textStart, !isInCondition else {
      throw unsupported("look-ahead \(mark) anywhere but at the text's beginning, after '^',")
    }
    guard conditions.count < Self.conditionLimit else {
      throw unsupported("more than \(Self.conditionLimit) look-aheads")
    }
    let start = position - 3
    let (outer, reading) = (flags, isNegated)
    (isInCondition, isNegated) = (true, isNegative != reading)
    let tree = try parseChoice()
    guard take(")") else { throw invalid("a '(' without its ')'", at: start) }
    (isInCondition, isNegated) = (false, reading)
    (flags, place) = (outer, .textStart)
    conditions.append(Condition(tree: tree, isNegative: isNegative))
    return .empty
  }

  /// What stands after `(?`; false if it was flags for the rest of the group around it.
  private mutating func parseGroupKind() throws(GrammarError) -> Bool {
    if take(":") { return true }
    for (mark, name) in [
      ("<=", "look-behind '(?<='"), ("<!", "look-behind '(?<!'"), (">", "the atomic group '(?>'"),
      ("P=", "the back reference '(?P='"), ("(", "the condition '(?('"), ("#", "the comment '(?#'"),
      ("|", "the group '(?|'"), ("R", "recursion"), ("&", "recursion"), ("P>", "recursion"),
    ] where take(mark) { throw unsupported(name) }
    if take("<") || take("P<") {
      let start = position
      while let scalar = current, scalar != UInt32(code: ">") {
        guard ScalarSet.words.contains(scalar) || scalar >= 0x80 || scalar == UInt32(code: "$")
        else {
          break
        }
        position += 1
      }
      guard position > start, take(">") else { throw invalid("a group's name is not ended") }
      return true
    }
    if current == UInt32(code: ")") { throw invalid("an unknown kind of group") }
    var isOn = true
    while let scalar = current {
      position += 1
      switch scalar {
      case UInt32(code: "-"): isOn = false
      case UInt32(code: "i"): flags.ignoresCase = isOn
      case UInt32(code: "m"): flags.anchorsMatchLines = isOn
      case UInt32(code: "s"): flags.dotMatchesLineEnds = isOn
      case UInt32(code: ")"): return false
      case UInt32(code: ":"): return true
      default: throw invalid("an unknown kind of group", at: position - 1)
      }
    }
    throw invalid("a group that is not ended")
  }

  // MARK: Quantifiers

  private mutating func parseQuantifier(
    of atom: PatternNode, from start: Int
  ) throws(GrammarError) -> PatternNode {
    let place = position
    var minimum = 0
    var maximum: Int?
    if take("*") {
    } else if take("+") {
      minimum = 1
    } else if take("?") {
      maximum = 1
    } else if let counts = try parseCounts() {
      (minimum, maximum) = counts
    } else {
      return atom
    }
    if case .assertion = atom, scalars[start] != UInt32(code: "(") {
      throw invalid("an assertion cannot be repeated", at: place)
    }
    // A lazy quantifier finds another match first, but the same texts have one.
    if !take("?"), current == UInt32(code: "+") {
      throw unsupported("a possessive quantifier such as '++'")
    }
    if [UInt32(code: "*"), UInt32(code: "+"), UInt32(code: "?")].contains(current) {
      throw invalid("a quantifier of a quantifier")
    }
    if try isCounts() { throw invalid("a quantifier of a quantifier") }
    return .repetition(atom, minimum: minimum, maximum: maximum)
  }

  private func isCounts() throws(GrammarError) -> Bool {
    var copy = self
    return try copy.parseCounts() != nil
  }

  /// `{n}`, `{n,}` or `{n,m}`; nil, having read nothing, if none of them is here.
  private mutating func parseCounts() throws(GrammarError) -> (Int, Int?)? {
    let start = position
    guard take("{") else { return nil }
    if current == UInt32(code: ",") {
      position += 1
      let isDigit = current.map(ScalarSet.digits.contains) ?? false
      position = start
      if isDigit { throw invalid("a count without its minimum") }
      return nil
    }
    guard let minimum = try parseCount() else {
      position = start
      return nil
    }
    var maximum: Int? = minimum
    if take(",") { maximum = try parseCount() }
    guard take("}") else {
      position = start
      return nil
    }
    if let maximum, maximum < minimum {
      throw invalid("a maximum count below the minimum", at: start)
    }
    return (minimum, maximum)
  }

  private mutating func parseCount() throws(GrammarError) -> Int? {
    var count: Int?
    while let scalar = current, ScalarSet.digits.contains(scalar) {
      count = min((count ?? 0) * 10 + Int(scalar - 0x30), .max / 100)
      position += 1
    }
    if let count, count > limits.repetitions {
      throw .limitExceeded(.repetitions, limit: limits.repetitions)
    }
    return count
  }

  /// A set with the other cases of its scalars, where case is ignored.
  func folded(_ set: ScalarSet) -> ScalarSet {
    flags.ignoresCase ? SimpleCases.closure(of: set) : set
  }
}

extension UInt32 {
  /// A scalar's value.
  init(code scalar: Unicode.Scalar) { self = scalar.value }
}
