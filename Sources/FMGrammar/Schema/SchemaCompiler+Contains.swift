/// Counting elements of a kind: no rule can, so they get places.
extension SchemaCompiler {
  private static let places = 8
  /// Elements that are written out one by one.
  private static let writtenElements = 1_000

  /// Sets without `contains` that hold nothing else, and as much as can be said.
  mutating func withoutContained(_ set: ArraySet) throws(GrammarError) -> [ArraySet] {
    if set.contained.isEmpty { return [set] }
    if set.contained.count == 1, set.contained[0].minimum == 1, set.contained[0].maximum == nil,
      let sets = try byFirstPlace(set, set.contained[0])
    {
      return sets
    }
    var result = set
    result.contained = []
    for kind in set.contained {
      guard let next = try placing(kind, in: result) else {
        losses.append(
          .unsupported(
            path: path(of: kind.value), keyword: "contains",
            reason: "no place was found for the elements it counts"))
        return []
      }
      result = next
    }
    return [result]
  }

  /// One set for each of the first places that the first element of the kind may have; nil where the
  /// elements before it cannot be told from it.
  private mutating func byFirstPlace(
    _ set: ArraySet, _ kind: ArraySet.Contained
  ) throws(GrammarError) -> [ArraySet]? {
    let opposite = not(kind.value)
    do throws(GrammarError) {
      if try head(opposite).isNarrowed { return nil }
    } catch {
      if case .limitExceeded = error { throw error }
      return nil
    }
    var result: [ArraySet] = []
    var before = set
    before.contained = []
    for place in kind.start..<(kind.start + Self.places) {
      if place >= set.maximum ?? .max { break }
      var here = before
      Self.write(&here, upTo: place + 1)
      here.prefix[place].value = all([here.prefix[place].value, kind.value])
      here.minimum = max(here.minimum, place + 1)
      if try !isEmpty(here.prefix[place].value), let settled = Self.settled(here) {
        result.append(settled)
      }
      Self.write(&before, upTo: place + 1)
      before.prefix[place].value = all([before.prefix[place].value, opposite])
      if try isEmpty(before.prefix[place].value) { break }
    }
    return result.isEmpty ? nil : result
  }

  /// Gives the elements of a kind the first places that can hold them.
  private mutating func placing(
    _ kind: ArraySet.Contained, in set: ArraySet
  ) throws(GrammarError) -> ArraySet? {
    var result = set
    var missing = kind.minimum
    var place = kind.start
    guard missing <= Self.writtenElements else {
      throw .limitExceeded(.repetitions, limit: Self.writtenElements)
    }
    while missing > 0 {
      if place >= result.maximum ?? .max { return nil }
      let isLast = place >= result.prefix.count
      Self.write(&result, upTo: place + 1)
      let both = all([result.prefix[place].value, kind.value])
      if try !isEmpty(both) {
        result.prefix[place].value = both
        missing -= 1
      } else if isLast {
        return nil
      }
      place += 1
    }
    result.minimum = max(result.minimum, kind.minimum > 0 ? place : 0)
    if let maximum = kind.maximum {
      // So many more may be of the kind; what comes after them is not.
      let more = maximum - kind.minimum
      let free = more <= Self.writtenElements ? place + more : place
      Self.write(&result, upTo: free)
      let opposite = not(kind.value)
      for index in free..<max(free, result.prefix.count) {
        result.prefix[index].value = all([result.prefix[index].value, opposite])
      }
      result.items.value = all([result.items.value, opposite])
    }
    return Self.settled(result)
  }

  /// Writes the elements before a place out.
  private static func write(_ set: inout ArraySet, upTo count: Int) {
    while set.prefix.count < count { set.prefix.append(set.items) }
  }
}
