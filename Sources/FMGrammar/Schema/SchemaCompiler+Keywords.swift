extension SchemaCompiler {
  /// What a schema allows: its own keywords and those of the schemas it applies to the same value,
  /// met in the order of the text.
  mutating func head(ofSchema node: SchemaDocument.Node) throws(GrammarError) -> ValueSet {
    let place = document.places[node]
    let members: [JSONMember]
    switch place.value {
    case .boolean(let isTrue): return isTrue ? .any : .none
    case .object(let own): members = own
    default:
      throw .invalidSchema(
        path: place.path, offset: nil, reason: "a schema is an object or a boolean")
    }
    let keywords = SchemaKeywords(path: place.path, members: members)
    let own = try ownSet(node, keywords)
    // Types first, which cuts off most of what follows; they have no say in the order of members.
    var result = try types(keywords)
    var isMet = !keywords.has("properties") && !keywords.has("patternProperties")
    if isMet { result = try intersect(result, own) }
    for member in members {
      let keyword = String(decoding: member.name, as: UTF8.self)
      if !isMet, keyword == "properties" || keyword == "patternProperties" {
        isMet = true
        result = try intersect(result, own)
      }
      result = try apply(keyword, member.value, keywords, node, result)
    }
    if keywords.has("unevaluatedItems") || keywords.has("unevaluatedProperties") {
      result = try settleUnevaluated(result, keywords, node)
    }
    return result
  }

  private mutating func apply(
    _ keyword: String, _ value: JSONValue, _ keywords: SchemaKeywords, _ node: SchemaDocument.Node,
    _ result: ValueSet
  ) throws(GrammarError) -> ValueSet {
    switch keyword {
    case "enum":
      guard case .array(let values) = value else { throw keywords.invalid("enum", "is no array") }
      return try intersect(result, try head(ofAny: values))
    case "const": return try intersect(result, try head(intern(.constant(value))))
    case "$ref", "$dynamicRef":
      guard let reference = value.text else {
        throw .invalidSchema(path: "\(keywords.path)/\(keyword)", offset: nil, reason: "no string")
      }
      let target = try document.resolve(reference, from: node, keyword: keyword)
      return try intersect(result, try head(intern(.schema(target))))
    case "$recursiveRef":
      throw keywords.unsupported("$recursiveRef", "use $dynamicRef or $ref")
    case "allOf":
      var result = result
      for part in try schemas("allOf", keywords, node) {
        result = try intersect(result, try head(part))
      }
      return result
    case "anyOf": return try anyOf(try schemas("anyOf", keywords, node), result)
    case "oneOf": return try oneOf(try schemas("oneOf", keywords, node), keywords, result)
    case "not":
      let inner = try head(schema(node, ["not"], value))
      return try located(keywords, "not") { (compiler) throws(GrammarError) in
        try compiler.subtract(result, inner)
      }
    case "if": return try conditional(keywords, node, result)
    case "dependentRequired", "dependentSchemas", "dependencies":
      return try dependents(keyword, value, keywords, node, result)
    default: return result
    }
  }

  /// Gives errors of subtraction the place they come from.
  private mutating func located(
    _ keywords: SchemaKeywords, _ keyword: StaticString,
    _ body: (inout SchemaCompiler) throws(GrammarError) -> ValueSet
  ) throws(GrammarError) -> ValueSet {
    do throws(GrammarError) {
      return try body(&self)
    } catch {
      guard case .unsupported("", _, let reason) = error else { throw error }
      throw keywords.unsupported(keyword, reason)
    }
  }

  /// The schemas of a list, which has at least one.
  private mutating func schemas(
    _ keyword: StaticString, _ keywords: SchemaKeywords, _ node: SchemaDocument.Node
  ) throws(GrammarError) -> [SchemaExpression.Index] {
    guard let items = try keywords.array(keyword), !items.isEmpty else {
      throw keywords.invalid(keyword, "is an empty array")
    }
    var result: [SchemaExpression.Index] = []
    for (index, item) in items.enumerated() {
      result.append(schema(node, ["\(keyword)", "\(index)"], item))
    }
    return result
  }

  private mutating func head(ofAny values: [JSONValue]) throws(GrammarError) -> ValueSet {
    var result = ValueSet.none
    var words: [[UInt8]] = []
    for value in values {
      if case .string(let text) = value {
        words.append(text)
        continue
      }
      let one = try head(intern(.constant(value)))
      result.hasNull = result.hasNull || one.hasNull
      result.hasTrue = result.hasTrue || one.hasTrue
      result.hasFalse = result.hasFalse || one.hasFalse
      result.numbers += one.numbers
      result.arrays += one.arrays
      result.objects += one.objects
    }
    if !words.isEmpty { result.strings = [StringSet(language: .literals(try distinct(words)))] }
    return try unite(result, .none)
  }

  // MARK: Alternatives

  private mutating func anyOf(
    _ parts: [SchemaExpression.Index], _ result: ValueSet
  ) throws(GrammarError) -> ValueSet {
    var union = ValueSet.none
    for part in parts { union = try unite(union, try intersect(result, try head(part))) }
    guard document.hasUnevaluated, parts.count > 1 else { return union }
    // A value of several parts has the members of all of them evaluated.
    guard parts.count <= 5 else {
      union.isNarrowed = true
      return union
    }
    for mask in 1..<(1 << parts.count) where mask & (mask - 1) != 0 {
      var both = result
      for (index, part) in parts.enumerated() where mask >> index & 1 == 1 {
        both = try intersect(both, try head(part))
      }
      union = try unite(union, both)
    }
    return union
  }

  private mutating func oneOf(
    _ parts: [SchemaExpression.Index], _ keywords: SchemaKeywords, _ result: ValueSet
  ) throws(GrammarError) -> ValueSet {
    var union = ValueSet.none
    for (index, part) in parts.enumerated() {
      var one = try intersect(result, try head(part))
      for (place, other) in parts.enumerated() where place != index && !one.isNone {
        let rest = try head(other)
        let minuend = one
        one = try located(keywords, "oneOf") { (compiler) throws(GrammarError) in
          try compiler.subtract(minuend, rest)
        }
      }
      union = try unite(union, one)
    }
    return union
  }

  private mutating func conditional(
    _ keywords: SchemaKeywords, _ node: SchemaDocument.Node, _ result: ValueSet
  ) throws(GrammarError) -> ValueSet {
    guard let condition = keywords["if"] else { return result }
    if !keywords.has("then"), !keywords.has("else"), !document.hasUnevaluated { return result }
    let holds = try head(schema(node, ["if"], condition))
    var met = try intersect(result, holds)
    if let then = keywords["then"] {
      met = try intersect(met, try head(schema(node, ["then"], then)))
    }
    var unmet = try located(keywords, "if") { (compiler) throws(GrammarError) in
      try compiler.subtract(result, holds)
    }
    if let otherwise = keywords["else"] {
      unmet = try intersect(unmet, try head(schema(node, ["else"], otherwise)))
    }
    return try unite(met, unmet)
  }

  private mutating func dependents(
    _ keyword: String, _ value: JSONValue, _ keywords: SchemaKeywords, _ node: SchemaDocument.Node,
    _ result: ValueSet
  ) throws(GrammarError) -> ValueSet {
    let place = "\(keywords.path)/\(keyword)"
    guard case .object(let members) = value else {
      throw .invalidSchema(path: place, offset: nil, reason: "is no object")
    }
    var result = result
    for member in members {
      let name = String(decoding: member.name, as: UTF8.self)
      var with = ValueSet.any
      if case .array(let items) = member.value, keyword != "dependentSchemas" {
        guard let names = SchemaKeywords.names(items) else {
          throw .invalidSchema(path: place, offset: nil, reason: "is no array of strings")
        }
        var set = ObjectSet.any
        set.members = names.map {
          ObjectSet.Member(name: $0, value: SchemaExpression.any, isRequired: true)
        }
        with.objects = [set]
      } else if keyword == "dependentRequired" {
        throw .invalidSchema(path: place, offset: nil, reason: "is no array of strings")
      } else {
        with = try head(schema(node, [keyword, name], member.value))
      }
      var present = ValueSet.none
      present.objects = [.with(member.name, SchemaExpression.any)]
      var absent = ValueSet.any
      absent.objects = [.without(member.name)]
      let met = try intersect(try intersect(result, present), with)
      result = try unite(try intersect(result, absent), met)
    }
    return result
  }

  // MARK: What is left over

  private mutating func settleUnevaluated(
    _ set: ValueSet, _ keywords: SchemaKeywords, _ node: SchemaDocument.Node
  ) throws(GrammarError) -> ValueSet {
    var result = set
    if let value = keywords["unevaluatedProperties"] {
      let rest = schema(node, ["unevaluatedProperties"], value)
      result.objects = []
      for object in set.objects {
        var object = object
        for index in object.members.indices where !object.members[index].isEvaluated {
          object.members[index].value = all([object.members[index].value, rest])
          object.members[index].isEvaluated = true
        }
        for index in object.others.indices where !object.others[index].isEvaluated {
          object.others[index].value = all([object.others[index].value, rest])
          object.others[index].isEvaluated = true
          object.others[index].isImplicit = false
        }
        object.others.removeAll { $0.value == SchemaExpression.none }
        if !Self.isPlainlyEmpty(object) { result.objects.append(object) }
      }
    }
    if let value = keywords["unevaluatedItems"] {
      let rest = schema(node, ["unevaluatedItems"], value)
      result.arrays = []
      for array in set.arrays {
        var array = array
        let allowed = either(array.evaluated + [rest])
        for index in array.prefix.indices where !array.prefix[index].isEvaluated {
          array.prefix[index].value = all([array.prefix[index].value, allowed])
          array.prefix[index].isEvaluated = true
        }
        if !array.items.isEvaluated {
          array.items.value = all([array.items.value, allowed])
          array.items.isEvaluated = true
        }
        if let settled = Self.settled(array) { result.arrays.append(settled) }
      }
    }
    return try unite(result, .none)
  }
}
