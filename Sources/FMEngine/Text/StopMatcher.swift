/// Finds the first of some strings in a text that comes in pieces, and holds back what may be one.
///
/// Works on UTF-8 bytes with one Knuth-Morris-Pratt automaton a string, so a byte costs O(strings)
/// amortized, whatever the text. The string whose end comes first wins; of several that end at the
/// same byte, the longest.
package struct StopMatcher: Sendable {
  private struct Automaton: Sendable {
    var bytes: [UInt8]
    /// Length of the longest proper border of each prefix.
    var borders: [Int]
    /// Bytes matched so far.
    var matched = 0

    init(_ string: String) {
      bytes = Array(string.utf8)
      borders = Array(repeating: 0, count: bytes.count)
      var length = 0
      for index in bytes.indices.dropFirst() {
        while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
        if bytes[index] == bytes[length] { length += 1 }
        borders[index] = length
      }
    }

    /// Takes a byte; true when the string is complete.
    mutating func advance(_ byte: UInt8) -> Bool {
      while matched > 0, bytes[matched] != byte { matched = borders[matched - 1] }
      if bytes[matched] == byte { matched += 1 }
      return matched == bytes.count
    }
  }

  private var automata: [Automaton]
  /// Text that has not been let out: at its end the longest possible beginning of a stop string.
  private var held: [UInt8] = []
  /// Whether a stop string was found; nothing more is taken then.
  package private(set) var isStopped = false

  /// Looks for these strings; none of them is empty.
  package init(_ strings: [String]) {
    precondition(strings.allSatisfy { !$0.isEmpty }, "a stop string has at least one byte")
    automata = strings.map(Automaton.init)
  }

  /// Takes more text and lets out what cannot belong to a stop string.
  package mutating func append(_ piece: String) -> String {
    if automata.isEmpty { return piece }
    for byte in piece.utf8 {
      if isStopped { break }
      held.append(byte)
      var longest = 0
      for index in automata.indices where automata[index].advance(byte) {
        longest = max(longest, automata[index].bytes.count)
      }
      if longest > 0 {
        isStopped = true
        held.removeLast(longest)
      }
    }
    if isStopped { return release(held.count) }
    return release(held.count - (automata.map(\.matched).max() ?? 0))
  }

  /// Lets out the rest: the text has ended and no stop string can come any more.
  package mutating func finish() -> String { release(held.count) }

  /// A stop string begins with a whole scalar, so what precedes it is valid UTF-8.
  private mutating func release(_ count: Int) -> String {
    let text = String(decoding: held[..<count], as: UTF8.self)
    held.removeFirst(count)
    return text
  }
}
