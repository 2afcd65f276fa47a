/// Hopcroft's partition refinement, and the merging of bytes that always go the same way.
extension AutomatonTable {
  /// With one class for all bytes whose columns are equal, classes numbered by their least byte.
  func withMergedClasses() -> AutomatonTable {
    // Columns are told apart row by row, so that no column is ever copied or hashed whole.
    var column = [Int](repeating: 0, count: classCount)
    var groups = min(1, classCount)
    var known: [Int: Int] = [:]
    for state in 0..<stateCount where groups < classCount {
      known.removeAll(keepingCapacity: true)
      var split = column
      for index in 0..<classCount {
        let target = Int(transitions[state * classCount + index]) + 1
        let key = target * 256 + column[index]
        if let old = known[key] {
          split[index] = old
        } else {
          known[key] = known.count
          split[index] = known.count - 1
        }
      }
      if known.count > groups {
        groups = known.count
        column = split
      }
    }
    return merging(column)
  }

  private func merging(_ column: [Int]) -> AutomatonTable {
    let merged = ByteClasses { column[Int(classes[Int($0)])] }
    let sources = merged.representatives.map { Int(classes[Int($0)]) }
    var table = self
    table.classes = merged.classes
    table.classCount = merged.count
    table.transitions = []
    table.transitions.reserveCapacity(stateCount * merged.count)
    for state in 0..<stateCount {
      for source in sources {
        table.transitions.append(transitions[state * classCount + source])
      }
    }
    return table
  }

  /// With one state for all that accept the same words; every state here is a useful one.
  func withMergedStates() -> AutomatonTable {
    var partition = StatePartition(self)
    partition.refine()
    let blocks = partition.blocks
    var table = AutomatonTable(
      classes: classes, classCount: classCount, transitions: [], accepting: [],
      start: 0)
    var numbers = [State](repeating: -1, count: partition.blockCount)
    var members: [Int] = []
    for state in 0..<stateCount where numbers[blocks[state]] < 0 {
      numbers[blocks[state]] = State(members.count)
      members.append(state)
    }
    for state in members {
      table.accepting.append(accepting[state])
      for target in transitions[state * classCount..<(state + 1) * classCount] {
        table.transitions.append(target < 0 ? target : numbers[blocks[Int(target)]])
      }
    }
    table.start = numbers[blocks[Int(start)]]
    return table
  }
}

/// Blocks of states not yet told apart; the state after the last one stands for no state at all.
private struct StatePartition {
  private let count: Int
  private let classCount: Int
  private let deadAccepts: [Bool]
  /// Sources by class and target: those of class c and target t are at `starts[c * count + t]`.
  private var starts: [Int32]
  private var sources: [Int32]

  /// States grouped by block, and where each is.
  private var order: [Int]
  private var places: [Int]
  private(set) var blocks: [Int]
  private var firsts: [Int] = []
  private var ends: [Int] = []
  private var marked: [Int] = []
  private var waiting: [Int] = []
  private var isWaiting: [Bool] = []

  var blockCount: Int { firsts.count }

  init(_ table: AutomatonTable) {
    count = table.stateCount + 1
    classCount = table.classCount
    deadAccepts = table.accepting + [false]
    starts = [Int32](repeating: 0, count: count * classCount + 1)
    sources = [Int32](repeating: 0, count: count * classCount)
    order = []
    places = [Int](repeating: 0, count: count)
    blocks = [Int](repeating: 0, count: count)
    let (count, classCount) = (count, classCount)
    func target(_ state: Int, _ index: Int) -> Int {
      guard state < count - 1 else { return count - 1 }
      let target = Int(table.transitions[state * classCount + index])
      return target < 0 ? count - 1 : target
    }
    for state in 0..<count {
      for index in 0..<classCount { starts[index * count + target(state, index) + 1] += 1 }
    }
    for index in 0..<count * classCount { starts[index + 1] += starts[index] }
    var next = starts
    for state in 0..<count {
      for index in 0..<classCount {
        let place = index * count + target(state, index)
        sources[Int(next[place])] = Int32(state)
        next[place] += 1
      }
    }
  }

  mutating func refine() {
    for accepts in [true, false] {
      let first = order.count
      for state in 0..<count where deadAccepts[state] == accepts {
        places[state] = order.count
        blocks[state] = firsts.count
        order.append(state)
      }
      if order.count > first { addBlock(first, order.count) }
    }
    for block in firsts.indices { wait(for: block) }
    while let block = waiting.popLast() {
      isWaiting[block] = false
      // The block may be split while its classes are gone through; its members now are what counts.
      let members = Array(order[firsts[block]..<ends[block]])
      for index in 0..<classCount { split(byArrowsOf: index, into: members) }
    }
  }

  private mutating func split(byArrowsOf index: Int, into members: [Int]) {
    var touched: [Int] = []
    for member in members {
      let place = index * count + member
      for source in sources[Int(starts[place])..<Int(starts[place + 1])] {
        mark(Int(source), &touched)
      }
    }
    for block in touched {
      let middle = firsts[block] + marked[block]
      marked[block] = 0
      guard middle < ends[block] else { continue }
      // The smaller part becomes the new block, which bounds how often a state moves.
      let isFirstSmaller = middle - firsts[block] <= ends[block] - middle
      let (first, end) = isFirstSmaller ? (firsts[block], middle) : (middle, ends[block])
      if isFirstSmaller { firsts[block] = middle } else { ends[block] = middle }
      for place in first..<end { blocks[order[place]] = firsts.count }
      addBlock(first, end)
      wait(for: firsts.count - 1)
    }
  }

  /// Moves a state to the marked front of its block.
  private mutating func mark(_ state: Int, _ touched: inout [Int]) {
    let block = blocks[state]
    let front = firsts[block] + marked[block]
    let place = places[state]
    guard place >= front else { return }
    if marked[block] == 0 { touched.append(block) }
    let other = order[front]
    order[front] = state
    order[place] = other
    places[state] = front
    places[other] = place
    marked[block] += 1
  }

  private mutating func addBlock(_ first: Int, _ end: Int) {
    firsts.append(first)
    ends.append(end)
    marked.append(0)
    isWaiting.append(false)
  }

  private mutating func wait(for block: Int) {
    guard !isWaiting[block] else { return }
    isWaiting[block] = true
    waiting.append(block)
  }
}
