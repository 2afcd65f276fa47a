/// The keywords that say something of a value by themselves.
extension SchemaCompiler {
  mutating func ownSet(
    _ node: SchemaDocument.Node, _ keywords: SchemaKeywords
  ) throws(GrammarError) -> ValueSet {
    var set = ValueSet.any
    set.numbers = try numbers(keywords).map { [$0] } ?? []
    set.strings = try strings(keywords).map { [$0] } ?? []
    set.arrays = try arrays(node, keywords).map { [$0] } ?? []
    set.objects = try objects(node, keywords).map { [$0] } ?? []
    return set
  }

  func types(_ keywords: SchemaKeywords) throws(GrammarError) -> ValueSet {
    let names: [[UInt8]]
    switch keywords["type"] {
    case nil: return .any
    case .string(let name): names = [name]
    case .array: names = try keywords.names("type")
    default: throw keywords.invalid("type", "is no string and no array of strings")
    }
    var set = ValueSet.none
    for name in names {
      switch String(decoding: name, as: UTF8.self) {
      case "null": set.hasNull = true
      case "boolean": (set.hasTrue, set.hasFalse) = (true, true)
      case "integer": if set.numbers.isEmpty { set.numbers = [.integer] }
      case "number": set.numbers = [.any]
      case "string": set.strings = [.any]
      case "array": set.arrays = [.any]
      case "object": set.objects = [.any]
      case let other: throw keywords.invalid("type", "'\(other.prefix(40))' is no type")
      }
    }
    return set
  }

  // MARK: Numbers

  private func numbers(_ keywords: SchemaKeywords) throws(GrammarError) -> NumberSet? {
    var sets: [NumberSet] = []
    for (bound, strict) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")]
      as [(StaticString, StaticString)]
    {
      // Draft 4 has a flag beside the bound.
      var isFlag = false
      if case .boolean(let isTrue) = keywords[strict] { isFlag = isTrue }
      if let value = try keywords.number(bound) {
        sets.append(Self.side(bound, value, isInclusive: !isFlag))
      }
      if case .boolean = keywords[strict] { continue }
      if let value = try keywords.number(strict) {
        sets.append(Self.side(bound, value, isInclusive: false))
      }
    }
    if let value = try keywords.number("multipleOf") {
      if value.isNegative || value == .zero {
        throw keywords.invalid("multipleOf", "is not above 0")
      }
      guard let step = NumberSet.Step(value) else {
        throw keywords.unsupported("multipleOf", "it has more than 18 digits")
      }
      sets.append(NumberSet(steps: [step]))
    }
    var result = NumberSet.any
    for set in sets {
      guard let both = NumberSet.intersection(result, set) else { return nil }
      result = both
    }
    return result
  }

  private static func side(
    _ keyword: StaticString, _ value: JSONDecimal, isInclusive: Bool
  ) -> NumberSet {
    let bound = NumberSet.Bound(value: value, isInclusive: isInclusive)
    return "\(keyword)" == "minimum" ? NumberSet(lower: bound) : NumberSet(upper: bound)
  }

  // MARK: Strings

  private mutating func strings(_ keywords: SchemaKeywords) throws(GrammarError) -> StringSet? {
    var set = StringSet()
    set.minimum = try keywords.count("minLength") ?? 0
    set.maximum = try keywords.count("maxLength")
    if let source = try keywords.string("pattern") {
      set.language = .automaton(try language(source, at: "\(keywords.path)/pattern"))
    }
    if let format = try keywords.string("format") {
      let name = String(decoding: format, as: UTF8.self)
      if SchemaLanguages.isKnown(format: name) { set.formats = [name] }
    }
    if let maximum = set.maximum, maximum < set.minimum { return nil }
    return set
  }

  /// The texts a pattern matches in, with the place in errors.
  mutating func language(
    _ pattern: [UInt8], at path: String
  ) throws(GrammarError) -> SchemaLanguages.Index {
    do throws(GrammarError) {
      return try languages.pattern(pattern)
    } catch {
      switch error {
      case .unsupported(_, _, let reason):
        throw .unsupported(path: path, keyword: "pattern", reason: reason)
      case .empty:
        throw .unsupported(path: path, keyword: "pattern", reason: "it matches no text")
      default: throw error
      }
    }
  }

  // MARK: Arrays

  private mutating func arrays(
    _ node: SchemaDocument.Node, _ keywords: SchemaKeywords
  ) throws(GrammarError) -> ArraySet? {
    var set = ArraySet()
    var rest: StaticString = "items"
    var list: StaticString = "prefixItems"
    if case .array = keywords["items"] {
      // Draft 7: the elements by place, and `additionalItems` for the others.
      if keywords.has("prefixItems") {
        throw keywords.invalid("items", "is an array beside 'prefixItems'")
      }
      (list, rest) = ("items", "additionalItems")
    }
    for (index, item) in (try keywords.array(list) ?? []).enumerated() {
      let value = schema(node, ["\(list)", "\(index)"], item)
      set.prefix.append(ArraySet.Element(value: value, isEvaluated: true))
    }
    if let value = keywords[rest] {
      set.items = ArraySet.Element(value: schema(node, ["\(rest)"], value), isEvaluated: true)
    }
    set.minimum = try keywords.count("minItems") ?? 0
    set.maximum = try keywords.count("maxItems")
    set.isUnique = try keywords.boolean("uniqueItems")
    let minimum = try keywords.count("minContains") ?? 1
    let maximum = try keywords.count("maxContains")
    if let value = keywords["contains"] {
      let kind = schema(node, ["contains"], value)
      set.contained = [ArraySet.Contained(value: kind, minimum: minimum, maximum: maximum)]
      if document.hasUnevaluated, kind != SchemaExpression.none { set.evaluated = [kind] }
    }
    return Self.settled(set)
  }
}
