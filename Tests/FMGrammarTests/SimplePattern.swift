/// A pattern with a matcher that is slow and plain: from a set of places to the set of places after it.
indirect enum SimplePattern {
  case scalar(source: String, Set<Unicode.Scalar>, isNegated: Bool)
  case sequence(SimplePattern, SimplePattern)
  case choice(SimplePattern, SimplePattern)
  case repetition(SimplePattern, Int, Int?)
  case start, end
  case boundary(Bool)

  var source: String {
    switch self {
    case .scalar(let source, _, _): source
    case .sequence(let one, let other): one.source + other.source
    case .choice(let one, let other): "(\(one.source)|\(other.source))"
    case .repetition(let part, let low, let high):
      "(?:\(part.source))" + Self.quantifier(low, high)
    case .start: "^"
    case .end: "$"
    case .boundary(let isWanted): isWanted ? "\\b" : "\\B"
    }
  }

  private static func quantifier(_ low: Int, _ high: Int?) -> String {
    switch (low, high) {
    case (0, nil): "*"
    case (1, nil): "+?"
    case (0, 1): "?"
    default: "{\(low),\(high.map(String.init) ?? "")}"
    }
  }

  func isFound(in text: [Unicode.Scalar]) -> Bool {
    !places(after: Set(0...text.count), in: text).isEmpty
  }

  private func places(after places: Set<Int>, in text: [Unicode.Scalar]) -> Set<Int> {
    func isWord(_ index: Int) -> Bool {
      text.indices.contains(index) && text[index].isASCII
        && (text[index].properties.isAlphabetic || text[index] == "_")
    }
    switch self {
    case .scalar(_, let set, let isNegated):
      return Set(
        places.filter { $0 < text.count && set.contains(text[$0]) != isNegated }.map { $0 + 1 })
    case .sequence(let one, let other):
      return other.places(after: one.places(after: places, in: text), in: text)
    case .choice(let one, let other):
      return one.places(after: places, in: text).union(other.places(after: places, in: text))
    case .repetition(let part, let low, let high):
      var current = places
      for _ in 0..<low { current = part.places(after: current, in: text) }
      var all = current
      for _ in 0..<(high ?? text.count + 1 + low) - low {
        current = part.places(after: current, in: text)
        all.formUnion(current)
      }
      return all
    case .start: return places.intersection([0])
    case .end: return places.intersection([text.count])
    case .boundary(let isWanted):
      return places.filter { (isWord($0 - 1) != isWord($0)) == isWanted }
    }
  }

  static func random(_ random: inout SmallRandom, depth: Int) -> SimplePattern {
    guard depth > 0 else {
      return [
        .scalar(source: "a", ["a"], isNegated: false),
        .scalar(source: "[bé]", ["b", "é"], isNegated: false),
        .scalar(source: "[^a\\n]", ["a", "\n"], isNegated: true),
        .scalar(source: ".", ["\n"], isNegated: true),
        .scalar(source: "\\u{1f600}", ["😀"], isNegated: false),
        .scalar(source: "\\s", [" ", "\n"], isNegated: false),
        .scalar(source: "\\W", ["a", "b", "_", "é"], isNegated: true),
        .start, .end, .boundary(true), .boundary(false),
      ][random.below(11)]
    }
    let part = Self.random(&random, depth: depth - 1)
    switch random.below(8) {
    case 0, 1, 2: return .sequence(part, Self.random(&random, depth: depth - 1))
    case 3, 4: return .choice(part, Self.random(&random, depth: depth - 1))
    case 5: return .repetition(part, random.below(2), nil)
    case 6: return .repetition(part, 0, 1)
    default:
      let low = random.below(3)
      return .repetition(part, low, low + random.below(3))
    }
  }
}
