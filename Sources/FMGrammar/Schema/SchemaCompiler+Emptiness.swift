/// Whether sets are empty, as far as a look a few levels deep tells.
///
/// "Not empty" may be wrong; "empty" never is.
extension SchemaCompiler {
  private static let levels = 12

  mutating func isEmpty(
    _ index: SchemaExpression.Index, levels: Int = Self.levels
  ) throws(GrammarError) -> Bool {
    if index == SchemaExpression.none { return true }
    if index == SchemaExpression.any || levels == 0 { return false }
    if let known = emptiness[index] { return known }
    try spend(1)
    let before = cycles
    let set: ValueSet
    do throws(GrammarError) {
      set = try head(index)
    } catch {
      // It is being worked out further up, or cannot be; both shows when it is asked for itself.
      if cycles != before { return false }
      switch error {
      case .limitExceeded(.depth, _): return false
      case .limitExceeded: throw error
      default: return false
      }
    }
    // Taken as not empty while it is looked at, so that the look ends.
    emptiness[index] = false
    let result = try isEmpty(set, levels: levels)
    emptiness[index] = result
    return result
  }

  private mutating func isEmpty(_ set: ValueSet, levels: Int) throws(GrammarError) -> Bool {
    if set.hasNull || set.hasTrue || set.hasFalse || !set.numbers.isEmpty { return false }
    for strings in set.strings where try !isEmpty(strings) { return false }
    for array in set.arrays where try !isEmpty(array, levels: levels) { return false }
    for object in set.objects where try !isEmpty(object, levels: levels) { return false }
    return true
  }

  mutating func isEmpty(_ set: StringSet) throws(GrammarError) -> Bool {
    guard case .automaton(let language) = set.language else { return false }
    return try languages.isEmpty(language, minimum: set.minimum, maximum: set.maximum)
  }

  mutating func isEmpty(
    _ set: ArraySet, levels: Int = Self.levels
  ) throws(GrammarError) -> Bool {
    for index in 0..<min(set.minimum, set.prefix.count + 1) {
      if try isEmpty(set.element(index).value, levels: levels - 1) { return true }
    }
    return false
  }

  mutating func isEmpty(
    _ set: ObjectSet, levels: Int = Self.levels
  ) throws(GrammarError) -> Bool {
    for member in set.members where member.isRequired {
      if try isEmpty(member.value, levels: levels - 1) { return true }
    }
    return false
  }
}
