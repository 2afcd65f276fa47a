/// A set of JSON values: for every type the union of simpler sets.
///
/// Exact, so that it may be subtracted, but for what `isNarrowed` says. What can only be enforced by
/// allowing less is decided later, when rules are made of it.
struct ValueSet: Sendable, Hashable {
  var hasNull: Bool
  var hasTrue: Bool
  var hasFalse: Bool
  var numbers: [NumberSet]
  var strings: [StringSet]
  var arrays: [ArraySet]
  var objects: [ObjectSet]
  /// Whether values may be missing, so that nothing may be taken from another set by this one.
  var isNarrowed = false

  static let none = ValueSet(
    hasNull: false, hasTrue: false, hasFalse: false, numbers: [], strings: [], arrays: [],
    objects: [])
  static let any = ValueSet(
    hasNull: true, hasTrue: true, hasFalse: true, numbers: [.any], strings: [.any], arrays: [.any],
    objects: [.any])

  /// Whether it is known to hold nothing, without a look into elements and members.
  var isNone: Bool {
    !hasNull && !hasTrue && !hasFalse && numbers.isEmpty && strings.isEmpty && arrays.isEmpty
      && objects.isEmpty
  }
}

/// An interval of numbers, integers or not, some multiples left in or out.
struct NumberSet: Sendable, Hashable {
  struct Bound: Sendable, Hashable {
    var value: JSONDecimal
    var isInclusive: Bool
  }

  /// A step of multiples, `digits` times ten to the power of `exponent`.
  struct Step: Sendable, Hashable {
    var digits: UInt64
    var exponent: Int
  }

  var lower: Bound?
  var upper: Bound?
  /// Whether the numbers are multiples of each.
  var steps: [Step] = []
  /// Whether the numbers are multiples of none of these.
  var avoided: [Step] = []

  static let any = NumberSet()
  /// What has no fraction: the multiples of 1.
  static let integer = NumberSet(steps: [Step(digits: 1, exponent: 0)])

  static func point(_ value: JSONDecimal) -> NumberSet {
    let bound = Bound(value: value, isInclusive: true)
    return NumberSet(lower: bound, upper: bound)
  }

  /// The one number of the set, if its interval has but one.
  var point: JSONDecimal? {
    guard let lower, lower == upper, lower.isInclusive else { return nil }
    return lower.value
  }
}

/// Strings of some lengths and of a language.
struct StringSet: Sendable, Hashable {
  enum Language: Sendable, Hashable {
    case any
    /// These texts, UTF-8, in their order.
    case literals([[UInt8]])
    /// A language of texts, UTF-8, by its place in ``SchemaLanguages``.
    case automaton(SchemaLanguages.Index)
  }

  /// Bounds of the number of code points; literals keep to them already.
  var minimum = 0
  var maximum: Int?
  var language: Language = .any
  /// Formats that are enforced where a rule is made, as the standard allows; they are not part of
  /// what the set holds when sets are subtracted.
  var formats: [String] = []

  static let any = StringSet()

  /// How many code points a text of UTF-8 has.
  static func length(of text: [UInt8]) -> Int {
    text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }
}

/// Arrays: elements by place, then others.
struct ArraySet: Sendable, Hashable {
  /// So many elements from a place on are of a kind.
  struct Contained: Sendable, Hashable {
    var value: SchemaExpression.Index
    var start = 0
    var minimum: Int
    var maximum: Int?
  }

  struct Element: Sendable, Hashable {
    var value: SchemaExpression.Index
    /// Whether `unevaluatedItems` leaves it alone.
    var isEvaluated = false
  }

  var prefix: [Element] = []
  /// What follows the prefix.
  var items = Element(value: SchemaExpression.any)
  var minimum = 0
  var maximum: Int?
  var isUnique = false
  var contained: [Contained] = []
  /// Elements of these kinds are left alone by `unevaluatedItems`, wherever they are.
  var evaluated: [SchemaExpression.Index] = []

  static let any = ArraySet()

  func element(_ index: Int) -> Element { index < prefix.count ? prefix[index] : items }
}

/// Objects: named members, then others by the language of their names.
struct ObjectSet: Sendable, Hashable {
  struct Member: Sendable, Hashable {
    /// UTF-8.
    var name: [UInt8]
    var value: SchemaExpression.Index
    var isRequired = false
    /// Whether `properties` gives it its place in the order.
    var isPlaced = false
    /// Whether `unevaluatedProperties` leaves it alone.
    var isEvaluated = false
  }

  struct Others: Sendable, Hashable {
    /// The names but for those of the members.
    var names: NameSet
    var value: SchemaExpression.Index
    var isEvaluated = false
    /// Whether no keyword speaks of such members.
    var isImplicit = false
  }

  /// A member there has to be, beside what the rest asks for.
  struct Existing: Sendable, Hashable {
    var names: NameSet
    var excluded: [[UInt8]]
    var value: SchemaExpression.Index
  }

  var members: [Member] = []
  /// Of disjoint names; a name in none of them is not allowed.
  var others: [Others] = [
    Others(names: .any, value: SchemaExpression.any, isImplicit: true)
  ]
  var minimum = 0
  var maximum: Int?
  var existing: [Existing] = []
  /// Whether there was a `properties`, so that others may be taken as not wanted.
  var isDeclared = false

  static let any = ObjectSet()
}

/// Names of members.
enum NameSet: Sendable, Hashable {
  case any
  /// A language of texts, UTF-8, by its place in ``SchemaLanguages``.
  case automaton(SchemaLanguages.Index)
}

/// A set of values that is not worked out yet: what elements and members are given by.
///
/// Expressions are interned; equal ones have one index.
enum SchemaExpression: Sendable, Hashable {
  typealias Index = Int

  static let any: Index = 0
  static let none: Index = 1

  case anything
  case nothing
  /// What the schema at a place of the document allows.
  case schema(SchemaDocument.Node)
  case constant(JSONValue)
  case not(Index)
  /// The intersection of at least two, in the order that decides the order of members.
  case all([Index])
  /// The union of at least two.
  case either([Index])
}
