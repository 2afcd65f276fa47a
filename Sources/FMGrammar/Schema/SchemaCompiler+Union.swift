extension SchemaCompiler {
  /// Both sets together.
  mutating func unite(_ left: ValueSet, _ right: ValueSet) throws(GrammarError) -> ValueSet {
    var result = left
    result.hasNull = left.hasNull || right.hasNull
    result.hasTrue = left.hasTrue || right.hasTrue
    result.hasFalse = left.hasFalse || right.hasFalse
    result.isNarrowed = left.isNarrowed || right.isNarrowed
    result.numbers = try distinct(left.numbers + right.numbers)
    if result.numbers.contains(.any) { result.numbers = [.any] }
    result.strings = try distinct(merged(left.strings + right.strings))
    if result.strings.contains(.any) { result.strings = [.any] }
    result.arrays = try distinct(left.arrays + right.arrays)
    result.objects = try distinct(left.objects + right.objects)
    return result
  }

  /// Without what comes a second time.
  func distinct<Branch: Hashable>(_ branches: [Branch]) throws(GrammarError) -> [Branch] {
    if branches.count < 2 { return branches }
    var seen: Set<Branch> = []
    seen.reserveCapacity(branches.count)
    var result: [Branch] = []
    for branch in branches where seen.insert(branch).inserted { result.append(branch) }
    guard result.count <= Limits.branches else {
      throw .limitExceeded(.choices, limit: Limits.branches)
    }
    return result
  }

  /// All given texts in one set, where the first of them is.
  private func merged(_ sets: [StringSet]) -> [StringSet] {
    var result: [StringSet] = []
    var place: Int?
    var seen: Set<[UInt8]> = []
    var texts: [[UInt8]] = []
    for set in sets {
      guard case .literals(let words) = set.language else {
        result.append(set)
        continue
      }
      for word in words where seen.insert(word).inserted { texts.append(word) }
      if place == nil {
        place = result.count
        result.append(set)
      }
    }
    if let place { result[place] = StringSet(language: .literals(texts)) }
    return result
  }
}
