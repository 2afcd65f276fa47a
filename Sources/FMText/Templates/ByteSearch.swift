/// Finds a byte string in others in linear time (Knuth, Morris, Pratt 1977).
struct ByteSearch {
  private let pattern: [UInt8]
  /// For each prefix of the pattern, the length of its longest border.
  private let borders: [Int]

  init(_ pattern: [UInt8]) {
    self.pattern = pattern
    var borders = [Int](repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  /// The first position at or after `start`; an empty pattern is found at `start`.
  func first(in text: [UInt8], from start: Int) -> Int? {
    guard !pattern.isEmpty else { return start }
    var matched = 0
    var index = start
    while index < text.count {
      while matched > 0, text[index] != pattern[matched] { matched = borders[matched - 1] }
      if text[index] == pattern[matched] { matched += 1 }
      index += 1
      if matched == pattern.count { return index - matched }
    }
    return nil
  }

  /// All positions that do not overlap, from the left, at most `limit`.
  func all(in text: [UInt8], limit: Int = .max) -> [Int] {
    guard !pattern.isEmpty else { return [] }
    var found: [Int] = []
    var start = 0
    while found.count < limit, let position = first(in: text, from: start) {
      found.append(position)
      start = position + pattern.count
    }
    return found
  }
}
