import FMCore
import Synchronization

/// What tokens do that begin, or go on below a node of the vocabulary's trie, in one state of an
/// automaton.
final class TokenClass: Sendable {
  /// The most tokens kept by what follows the automaton's word in them.
  private static let restLimit = 50_000

  /// Whether it was too much; then there is nothing in it.
  let isOverfull: Bool
  /// The tokens that end inside the automaton: as a mask if there are many, else as a list.
  let mask: FlatBuffer<UInt64>
  let tokens: FlatBuffer<TokenID>
  /// For tokens from their beginning: those that leave the automaton, by what follows.
  let rests: RestTrie?
  /// Below a node: the nodes where the automaton accepts.
  let exits: FlatBuffer<Int32>

  /// The bytes it takes.
  var byteCount: Int {
    mask.byteCount + 4 * (tokens.count + exits.count) + (rests?.byteCount ?? 0)
  }

  /// Walks the trie below `start`, in time linear in the nodes the automaton reaches.
  init(_ automaton: ByteAutomaton, state: Int32, below start: Int32, index: TokenIndex) {
    var scan = Scan(automaton: automaton, index: index, isWhole: start == 0)
    scan.run(state, start, restLimit: Self.restLimit)
    isOverfull = scan.isOverfull
    var mask: [UInt64] = []
    if start == 0, scan.tokens.count > index.maskWords / 4 {
      mask = Array(repeating: 0, count: index.maskWords)
      for token in scan.tokens { mask[Int(token >> 6)] |= 1 << UInt64(token & 63) }
      scan.tokens = []
    }
    self.mask = FlatBuffer(mask)
    tokens = FlatBuffer(scan.tokens)
    rests = start == 0 ? RestTrie(scan.rests, pool: index.pool) : nil
    exits = FlatBuffer(scan.exits)
  }

  private struct Scan {
    let automaton: ByteAutomaton
    let index: TokenIndex
    let isWhole: Bool
    var tokens: [TokenID] = []
    var rests: [RestTrie.Rest] = []
    var exits: [Int32] = []
    var isOverfull = false

    mutating func run(_ state: Int32, _ start: Int32, restLimit: Int) {
      let trie = index.trie
      var stack: [(node: Int32, state: Int32, depth: Int32)] = [(start, state, 0)]
      while let (node, state, depth) = stack.popLast() {
        for child in trie.firstChild[node]..<trie.firstChild[Int(node) + 1] {
          let next = automaton.next(state, trie.bytes[child])
          if next < 0 { continue }
          if automaton.accepting[Int(next)] { leave(child, depth + 1) }
          // A word's end that nothing follows is no place to stay in.
          let isInside = !automaton.accepting[Int(next)] || automaton.goesOn(next)
          if isInside {
            for key in trie.lower[child]..<trie.ownEnd[child] { tokens.append(index.order[key]) }
            if trie.hasChildren(child) { stack.append((child, next, depth + 1)) }
          }
          if rests.count > restLimit || exits.count > restLimit {
            isOverfull = true
            tokens = []
            rests = []
            exits = []
            return
          }
        }
      }
    }

    private mutating func leave(_ node: Int32, _ depth: Int32) {
      guard isWhole else {
        exits.append(node)
        return
      }
      for key in index.trie.lower[node]..<index.trie.upper[node] {
        let token = index.order[key]
        let range = index.ranges[token]
        rests.append(
          RestTrie.Rest(
            bytes: ByteRange(start: range.start + depth, count: range.count - depth),
            token: CountedToken(token: token, count: 0)))
      }
    }
  }
}

/// The token classes of one automaton's states, worked out when first asked for.
final class AutomatonClasses: Sendable {
  /// States of at least so many legal bytes have classes; narrower ones are walked.
  private static let wideByteCount = 14
  /// The most memory for one automaton's classes.
  private static let byteLimit = 32 << 20

  private struct Known {
    var classes: [Int64: TokenClass] = [:]
    var byteCount = 0
  }

  private let automaton: ByteAutomaton
  /// Whether a state goes on with many bytes.
  private let isWide: FlatBuffer<Bool>
  /// Whether no word is the beginning of another.
  let isPrefixFree: Bool
  private let known = Mutex(Known())

  init(_ automaton: ByteAutomaton) {
    self.automaton = automaton
    var sizes = [Int](repeating: 0, count: automaton.classCount)
    for number in automaton.classes { sizes[Int(number)] += 1 }
    isWide = FlatBuffer(
      (0..<automaton.stateCount).map { state in
        var count = 0
        for number in 0..<automaton.classCount
        where automaton.transitions[state * automaton.classCount + number] >= 0 {
          count += sizes[number]
        }
        return count >= Self.wideByteCount
      })
    isPrefixFree = (0..<automaton.stateCount).allSatisfy {
      !automaton.accepting[$0] || !automaton.goesOn(Int32($0))
    }
  }

  /// The class of a state for tokens below a node of the trie, or nil where walking is as good.
  func tokenClass(_ state: Int32, below node: Int32, _ index: TokenIndex) -> TokenClass? {
    guard isWide[state] else { return nil }
    let key = Int64(state) << 32 | Int64(node)
    if let found = known.withLock({ $0.classes[key] }) { return found.isOverfull ? nil : found }
    // Two threads may both work it out; that is cheaper than one waiting for the other's.
    let made = TokenClass(automaton, state: state, below: node, index: index)
    known.withLock { known in
      if known.byteCount > Self.byteLimit { known = Known() }
      known.classes[key] = made
      known.byteCount += made.byteCount
    }
    return made.isOverfull ? nil : made
  }

  /// Works out the classes of wide states, as many as there is time for before `end`.
  func prepare(until end: ContinuousClock.Instant, _ index: TokenIndex) {
    for state in 0..<Int32(isWide.count) where isWide[state] {
      if ContinuousClock.now >= end { return }
      _ = tokenClass(state, below: 0, index)
    }
  }
}

/// The classes of the automata that grammars of one vocabulary have in common.
final class AutomatonClassStore: Sendable {
  /// The most automata kept; grammars hold on to their own.
  private static let limit = 64

  private let known = Mutex<[ByteAutomaton: AutomatonClasses]>([:])

  /// The classes of an automaton, new or known.
  func classes(of automaton: ByteAutomaton) -> AutomatonClasses {
    known.withLock { known in
      if let found = known[automaton] { return found }
      if known.count >= Self.limit { known.removeAll() }
      let made = AutomatonClasses(automaton)
      known[automaton] = made
      return made
    }
  }
}

extension ByteAutomaton {
  /// Whether some byte is allowed in a state.
  func goesOn(_ state: State) -> Bool {
    let row = Int(state) * classCount
    return classes.contains { transitions[row + Int($0)] >= 0 }
  }
}
