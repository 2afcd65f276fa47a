/// Makes a grammar of a schema's document.
///
/// First every schema becomes the exact set of values it allows (``ValueSet``), one level deep:
/// elements and members stay expressions. Then the sets that can be reached become rules, narrowed
/// where no rule can say the same.
struct SchemaCompiler {
  /// The bounds of one compilation.
  enum Limits {
    /// Sets of one type in one union.
    static let branches = 2_048
    /// Pairs of sets that are met or subtracted.
    static let steps = 400_000
    /// Schemas inside schemas for one and the same value.
    static let nesting = 100
    /// Rules of a grammar, and expressions while it is made.
    static let rules = 50_000
  }

  var document: SchemaDocument
  let options: JSONSchema.Options
  var languages = SchemaLanguages()
  /// Why something was left out that cannot be enforced; told if nothing is left.
  var losses: [GrammarError] = []

  private(set) var expressions: [SchemaExpression] = [.anything, .nothing]
  private var indices: [SchemaExpression: SchemaExpression.Index] = [.anything: 0, .nothing: 1]
  private var heads: [SchemaExpression.Index: ValueSet] = [:]
  private var open: Set<SchemaExpression.Index> = []
  var emptiness: [SchemaExpression.Index: Bool] = [:]
  /// What is planned, in the order it was asked for.
  var planKeys: [RulePlan.Key] = []
  var planIndices: [RulePlan.Key: Grammar.Index] = [:]
  /// How often a set was asked for while it was being worked out.
  private(set) var cycles = 0
  private var steps = 0

  init(document: SchemaDocument, options: JSONSchema.Options) {
    self.document = document
    self.options = options
  }

  /// Counts work; throws once there was too much.
  mutating func spend(_ count: Int) throws(GrammarError) {
    steps += count
    if steps > Limits.steps { throw .limitExceeded(.steps, limit: Limits.steps) }
  }

  // MARK: Expressions

  mutating func intern(_ expression: SchemaExpression) -> SchemaExpression.Index {
    if let known = indices[expression] { return known }
    expressions.append(expression)
    indices[expression] = expressions.count - 1
    return expressions.count - 1
  }

  mutating func not(_ index: SchemaExpression.Index) -> SchemaExpression.Index {
    switch expressions[index] {
    case .anything: SchemaExpression.none
    case .nothing: SchemaExpression.any
    case .not(let inner): inner
    default: intern(.not(index))
    }
  }

  /// The intersection; the order of members is that of the earliest.
  mutating func all(_ indices: [SchemaExpression.Index]) -> SchemaExpression.Index {
    var parts: [SchemaExpression.Index] = []
    for index in indices {
      var next = [index]
      if case .all(let inner) = expressions[index] { next = inner }
      for part in next where part != SchemaExpression.any && !parts.contains(part) {
        if part == SchemaExpression.none { return SchemaExpression.none }
        parts.append(part)
      }
    }
    for part in parts {
      if case .not(let inner) = expressions[part], parts.contains(inner) {
        return SchemaExpression.none
      }
    }
    if areDifferentConstants(parts) { return SchemaExpression.none }
    switch parts.count {
    case 0: return SchemaExpression.any
    case 1: return parts[0]
    default: return intern(.all(parts))
    }
  }

  /// Whether two of the parts are scalars that differ.
  private func areDifferentConstants(_ parts: [SchemaExpression.Index]) -> Bool {
    var first: JSONValue?
    for part in parts {
      guard case .constant(let value) = expressions[part] else { continue }
      switch value {
      case .array, .object: continue
      default: break
      }
      if let first, first != value { return true }
      first = value
    }
    return false
  }

  mutating func either(_ indices: [SchemaExpression.Index]) -> SchemaExpression.Index {
    var parts: [SchemaExpression.Index] = []
    for index in indices where index != SchemaExpression.none && !parts.contains(index) {
      if index == SchemaExpression.any { return SchemaExpression.any }
      parts.append(index)
    }
    switch parts.count {
    case 0: return SchemaExpression.none
    case 1: return parts[0]
    default: return intern(.either(parts))
    }
  }

  /// The expression of a schema inside the schema at `node`; `true` and `false` are plain.
  mutating func schema(
    _ node: SchemaDocument.Node, _ tokens: [String], _ value: JSONValue
  ) -> SchemaExpression.Index {
    switch value {
    case .boolean(true): SchemaExpression.any
    case .boolean(false): SchemaExpression.none
    default: intern(.schema(document.child(node, tokens, value)))
    }
  }

  // MARK: Sets of expressions

  /// What an expression allows, worked out once.
  mutating func head(_ index: SchemaExpression.Index) throws(GrammarError) -> ValueSet {
    if let known = heads[index] { return known }
    guard open.insert(index).inserted else {
      cycles += 1
      throw .invalidSchema(
        path: path(of: index), offset: nil,
        reason: "refers to itself with no array or object between")
    }
    defer { open.remove(index) }
    guard open.count <= Limits.nesting else {
      throw .limitExceeded(.depth, limit: Limits.nesting)
    }
    guard expressions.count <= Limits.rules else {
      throw .limitExceeded(.rules, limit: Limits.rules)
    }
    var result: ValueSet
    switch expressions[index] {
    case .anything: result = .any
    case .nothing: result = .none
    case .schema(let node): result = try head(ofSchema: node)
    case .constant(let value): result = head(of: value)
    case .not(let inner): result = try subtract(.any, try head(inner))
    case .all(let parts):
      result = .any
      for part in parts { result = try intersect(result, try head(part)) }
    case .either(let parts):
      result = .none
      for part in parts { result = try unite(result, try head(part)) }
    }
    heads[index] = result
    return result
  }

  /// A place for errors: of the first schema an expression is made of.
  func path(of index: SchemaExpression.Index) -> String {
    switch expressions[index] {
    case .schema(let node): document.places[node].path
    case .not(let inner): path(of: inner)
    case .all(let parts), .either(let parts): parts.first.map(path(of:)) ?? ""
    case .anything, .nothing, .constant: ""
    }
  }

  /// The one value.
  private mutating func head(of value: JSONValue) -> ValueSet {
    var set = ValueSet.none
    switch value {
    case .null: set.hasNull = true
    case .boolean(let isTrue):
      set.hasTrue = isTrue
      set.hasFalse = !isTrue
    case .number(let number): set.numbers = [.point(number)]
    case .string(let text): set.strings = [StringSet(language: .literals([text]))]
    case .array(let items):
      var array = ArraySet()
      array.prefix = items.map { ArraySet.Element(value: intern(.constant($0))) }
      array.items.value = SchemaExpression.none
      array.minimum = items.count
      array.maximum = items.count
      set.arrays = [array]
    case .object(let members):
      var object = ObjectSet()
      object.members = members.map {
        ObjectSet.Member(
          name: $0.name, value: intern(.constant($0.value)), isRequired: true, isPlaced: true)
      }
      object.others = []
      set.objects = [object]
    }
    return set
  }
}
