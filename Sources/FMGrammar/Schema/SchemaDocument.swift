/// A schema's document: its places, the resources `$id` makes of them, and what references name.
///
/// A place is interned by its JSON pointer, so that a schema referred to twice is one node.
struct SchemaDocument {
  /// A place's number.
  typealias Node = Int

  struct Place {
    /// The JSON pointer from the document's root.
    var path: String
    var value: JSONValue
    /// The address of the resource it lies in.
    var base: String
    var depth: Int
  }

  /// The longest JSON pointer, in bytes; names of members are what makes them long.
  private static let longestPath = 16_384

  private(set) var places: [Place] = []
  /// Whether any schema has `unevaluatedItems` or `unevaluatedProperties`.
  private(set) var hasUnevaluated = false

  // Keys are bytes: two strings are equal already when they are canonically equivalent.
  private var nodes: [[UInt8]: Node] = [:]
  /// The path of every resource's root, by address.
  private var resources: [[UInt8]: String] = [:]
  /// The address of the resource that begins at a path.
  private var bases: [[UInt8]: String] = [:]
  /// The paths of anchors by address and name.
  private var anchors: [[UInt8]: [[UInt8]: String]] = [:]
  private var dynamicAnchors: [[UInt8]: [[UInt8]: String]] = [:]

  /// The node of the whole document.
  var root: Node { 0 }

  /// Whether `$id` means nothing beside `$ref`, as in the drafts before 2019.
  private let isOldDraft: Bool

  init(_ value: JSONValue) throws(GrammarError) {
    let draft = value["$schema"]?.text ?? ""
    isOldDraft = ["draft-04", "draft-06", "draft-07"].contains { draft.contains($0) }
    let identifier = identifier(of: value, against: "")
    try survey(value, path: "", base: "")
    if resources[[]] == nil { resources[[]] = "" }
    let place = Place(path: "", value: value, base: identifier ?? "", depth: 0)
    places.append(place)
    nodes[[]] = 0
  }

  /// The node of a schema inside another, by the tokens that lead to it.
  mutating func child(_ node: Node, _ tokens: [String], _ value: JSONValue) -> Node {
    var path = places[node].path
    for token in tokens { path += "/" + Self.escaped(token) }
    if let known = nodes[Array(path.utf8)] { return known }
    let base = bases[Array(path.utf8)] ?? places[node].base
    return add(Place(path: path, value: value, base: base, depth: places[node].depth + 1))
  }

  private mutating func add(_ place: Place) -> Node {
    nodes[Array(place.path.utf8)] = places.count
    places.append(place)
    return places.count - 1
  }

  // MARK: Resources and anchors

  private static let schemaKeywords: Set<String> = [
    "additionalProperties", "additionalItems", "items", "contains", "not", "if", "then", "else",
    "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
  ]
  private static let listKeywords: Set<String> = [
    "allOf", "anyOf", "oneOf", "prefixItems", "items",
  ]
  private static let mapKeywords: Set<String> = [
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
  ]

  private func identifier(of value: JSONValue, against base: String) -> String? {
    guard let text = value["$id"]?.text, !isOldDraft || value["$ref"] == nil else { return nil }
    let target = URIReference.resolve(text, against: base)
    // An old draft's `$id` of only a fragment is an anchor.
    return text.hasPrefix("#") ? nil : target.address
  }

  /// Notes the resources and anchors in a schema and the schemas inside it.
  private mutating func survey(
    _ value: JSONValue, path: String, base outer: String
  ) throws(GrammarError) {
    guard path.utf8.count <= Self.longestPath else {
      throw .limitExceeded(.sourceBytes, limit: Self.longestPath)
    }
    guard case .object(let members) = value else { return }
    var base = outer
    if let own = identifier(of: value, against: outer) {
      guard resources[Array(own.utf8)] == nil else {
        throw .invalidSchema(path: path + "/$id", offset: nil, reason: "two schemas have this $id")
      }
      base = own
      resources[Array(own.utf8)] = path
      bases[Array(path.utf8)] = own
    } else if path.isEmpty {
      resources[[]] = ""
    }
    try note("$anchor", value["$anchor"]?.text, base, path, isDynamic: false)
    try note("$dynamicAnchor", value["$dynamicAnchor"]?.text, base, path, isDynamic: true)
    if let text = value["$id"]?.text, text.hasPrefix("#") {
      try note("$id", String(text.unicodeScalars.dropFirst()), base, path, isDynamic: false)
    }
    for member in members {
      let keyword = String(decoding: member.name, as: UTF8.self)
      if keyword == "unevaluatedItems" || keyword == "unevaluatedProperties" {
        hasUnevaluated = true
      }
      let inner = path + "/" + Self.escaped(keyword)
      switch member.value {
      case .object(let members) where Self.mapKeywords.contains(keyword):
        for member in members {
          let token = Self.escaped(String(decoding: member.name, as: UTF8.self))
          try survey(member.value, path: inner + "/" + token, base: base)
        }
      case .object where Self.schemaKeywords.contains(keyword):
        try survey(member.value, path: inner, base: base)
      case .array(let items) where Self.listKeywords.contains(keyword):
        for (index, item) in items.enumerated() {
          try survey(item, path: "\(inner)/\(index)", base: base)
        }
      default: break
      }
    }
  }

  private mutating func note(
    _ keyword: String, _ name: String?, _ base: String, _ path: String, isDynamic: Bool
  ) throws(GrammarError) {
    guard let name else { return }
    if let other = anchors[Array(base.utf8)]?[Array(name.utf8)], other != path {
      throw .invalidSchema(
        path: "\(path)/\(keyword)", offset: nil, reason: "two schemas have this anchor")
    }
    anchors[Array(base.utf8), default: [:]][Array(name.utf8)] = path
    if isDynamic { dynamicAnchors[Array(name.utf8), default: [:]][Array(base.utf8)] = path }
  }

  // MARK: References

  /// The node `$ref` or `$dynamicRef` names.
  ///
  /// - Throws: `unsupported` for what lies outside the document and for dynamic references whose
  ///   target depends on the way to them, `invalidSchema` for what is not there.
  mutating func resolve(
    _ reference: String, from node: Node, keyword: String
  ) throws(GrammarError) -> Node {
    let target = URIReference.resolve(reference, against: places[node].base)
    let path = "\(places[node].path)/\(keyword)"
    let address = Array(target.address.utf8)
    let anchor = Array(target.fragment.utf8)
    guard let start = resources[address] else {
      throw .unsupported(
        path: path, keyword: keyword,
        reason: "'\(target.address)' is not in the document, and nothing is fetched")
    }
    if target.fragment.isEmpty || target.fragment.hasPrefix("/") {
      return try self.node(at: start + target.fragment, for: path)
    }
    guard let place = anchors[address]?[anchor] else {
      throw .invalidSchema(
        path: path, offset: nil, reason: "there is no anchor '\(target.fragment)'")
    }
    if keyword == "$dynamicRef", let dynamic = dynamicAnchors[anchor],
      dynamic[address] != nil, dynamic.count > 1
    {
      throw .unsupported(
        path: path, keyword: keyword,
        reason: "several schemas have the dynamic anchor '\(target.fragment)'")
    }
    return try self.node(at: place, for: path)
  }

  /// The node at a JSON pointer.
  private mutating func node(at pointer: String, for path: String) throws(GrammarError) -> Node {
    var value = places[0].value
    var base = places[0].base
    var canonical = ""
    if let known = nodes[Array(pointer.utf8)] { return known }
    guard pointer.utf8.count <= Self.longestPath else {
      throw .limitExceeded(.sourceBytes, limit: Self.longestPath)
    }
    let tokens = pointer.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
    for token in tokens.dropFirst() {
      let name = Self.unescaped(String(token))
      guard let next = Self.part(name, of: value) else {
        throw .invalidSchema(path: path, offset: nil, reason: "there is nothing at '\(pointer)'")
      }
      canonical += "/" + Self.escaped(name)
      value = next
      base = bases[Array(canonical.utf8)] ?? base
    }
    if let known = nodes[Array(canonical.utf8)] { return known }
    return add(Place(path: canonical, value: value, base: base, depth: tokens.count))
  }

  /// The member or element a pointer's token names.
  private static func part(_ name: String, of value: JSONValue) -> JSONValue? {
    switch value {
    case .object(let members):
      let bytes = Array(name.utf8)
      return members.first { $0.name == bytes }?.value
    case .array(let items):
      guard let index = Int(name), items.indices.contains(index), String(index) == name else {
        return nil
      }
      return items[index]
    default: return nil
    }
  }

  static func escaped(_ token: String) -> String {
    guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return token
    }
    var result = ""
    for scalar in token.unicodeScalars {
      switch scalar {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func unescaped(_ token: String) -> String {
    var result = String.UnicodeScalarView()
    var isEscape = false
    for scalar in token.unicodeScalars {
      if isEscape {
        result.append(scalar == "1" ? "/" : "~")
        if scalar != "0", scalar != "1" { result.append(scalar) }
        isEscape = false
      } else if scalar == "~" {
        isEscape = true
      } else {
        result.append(scalar)
      }
    }
    if isEscape { result.append("~") }
    return String(result)
  }
}
