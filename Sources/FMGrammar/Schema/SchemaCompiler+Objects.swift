extension SchemaCompiler {
  /// Names that match the same patterns, and what those say of their values.
  private struct NameClass {
    var names: NameSet
    var values: [SchemaExpression.Index] = []
    var isMatched = false
  }

  /// The objects that `properties` and its relatives allow; nil if there are none.
  mutating func objects(
    _ node: SchemaDocument.Node, _ keywords: SchemaKeywords
  ) throws(GrammarError) -> ObjectSet? {
    var set = ObjectSet()
    let classes = try nameClasses(node, keywords)
    let additional = keywords["additionalProperties"].map {
      schema(node, ["additionalProperties"], $0)
    }
    set.others = []
    for names in classes {
      let value = names.isMatched ? all(names.values) : additional ?? SchemaExpression.any
      if value == SchemaExpression.none { continue }
      set.others.append(
        ObjectSet.Others(
          names: names.names, value: value, isEvaluated: names.isMatched || additional != nil,
          isImplicit: !names.isMatched && additional == nil))
    }
    let required = try keywords.names("required")
    try addMembers(node, keywords, classes, required: Set(required), to: &set)
    let known = Set(set.members.map(\.name))
    for name in required where !known.contains(name) {
      guard let others = set.others.first(where: { languages.accepts($0.names, name) }) else {
        return nil
      }
      set.members.append(
        ObjectSet.Member(
          name: name, value: others.value, isRequired: true, isEvaluated: others.isEvaluated))
    }
    set.minimum = try keywords.count("minProperties") ?? 0
    set.maximum = try keywords.count("maxProperties")
    if let value = keywords["propertyNames"] {
      try restrictNames(&set, schema(node, ["propertyNames"], value))
    }
    return Self.isPlainlyEmpty(set) ? nil : set
  }

  private mutating func addMembers(
    _ node: SchemaDocument.Node, _ keywords: SchemaKeywords, _ classes: [NameClass],
    required: Set<[UInt8]>, to set: inout ObjectSet
  ) throws(GrammarError) {
    guard let properties = try keywords.object("properties") else {
      set.members = []
      return
    }
    set.isDeclared = true
    for property in Self.ordered(properties, keywords["x-order"]) {
      let name = String(decoding: property.name, as: UTF8.self)
      var values = [schema(node, ["properties", name], property.value)]
      for names in classes where languages.mayAccept(names.names, property.name) {
        values += names.values
      }
      set.members.append(
        ObjectSet.Member(
          name: property.name, value: all(values), isRequired: required.contains(property.name),
          isPlaced: true, isEvaluated: true))
    }
  }

  /// Properties in the order of `x-order`, which Apple's schemas have, then in that of the text.
  private static func ordered(_ properties: [JSONMember], _ order: JSONValue?) -> [JSONMember] {
    guard case .array(let names) = order else { return properties }
    var places: [[UInt8]: Int] = [:]
    for (place, name) in names.enumerated() {
      if case .string(let name) = name, places[name] == nil { places[name] = place }
    }
    let ranked = properties.enumerated().map {
      (place: places[$0.element.name] ?? names.count + $0.offset, member: $0.element)
    }
    return ranked.sorted { $0.place < $1.place }.map(\.member)
  }

  /// All names, apart by the patterns they match.
  private mutating func nameClasses(
    _ node: SchemaDocument.Node, _ keywords: SchemaKeywords
  ) throws(GrammarError) -> [NameClass] {
    var classes = [NameClass(names: .any)]
    for member in try keywords.object("patternProperties") ?? [] {
      let source = String(decoding: member.name, as: UTF8.self)
      let value = schema(node, ["patternProperties", source], member.value)
      let path = "\(keywords.path)/patternProperties/\(SchemaDocument.escaped(source))"
      let pattern = NameSet.automaton(try language(member.name, at: path))
      var next: [NameClass] = []
      for names in classes {
        if let inside = try languages.intersection(names.names, pattern) {
          next.append(NameClass(names: inside, values: names.values + [value], isMatched: true))
        }
        if let outside = try languages.difference(names.names, pattern) {
          var rest = names
          rest.names = outside
          next.append(rest)
        }
      }
      guard next.count <= 64 else { throw .limitExceeded(.choices, limit: 64) }
      classes = next
    }
    return classes
  }

  /// Leaves only the names a schema of strings allows.
  private mutating func restrictNames(
    _ set: inout ObjectSet, _ index: SchemaExpression.Index
  ) throws(GrammarError) {
    let allowed = try head(index).strings
    if allowed.contains(where: { $0.minimum == 0 && $0.maximum == nil && $0.language == .any }) {
      return
    }
    var names: NameSet?
    for strings in allowed {
      guard let some = try languages.names(strings) else { continue }
      names =
        try names.map { (known) throws(GrammarError) in
          try languages.union(known, some)
        } ?? some
    }
    for place in set.members.indices {
      if let names, languages.accepts(names, set.members[place].name) { continue }
      set.members[place].value = SchemaExpression.none
    }
    var others: [ObjectSet.Others] = []
    for kind in set.others {
      guard let names, let both = try languages.intersection(kind.names, names) else { continue }
      var kind = kind
      kind.names = both
      others.append(kind)
    }
    set.others = others
  }
}
