/// How many words lead from each state of an automaton to acceptance.
enum WordCounts {
  /// What infinitely many, or very many, are counted as.
  static let unbounded: Int32 = 1 << 30

  /// Counts by state, in time linear in the table.
  static func counts(_ automaton: ByteAutomaton) -> [Int32] {
    var classSizes = [Int](repeating: 0, count: automaton.classCount)
    for number in automaton.classes { classSizes[Int(number)] += 1 }
    var sources: [[Int32]] = Array(repeating: [], count: automaton.stateCount)
    var open = [Int](repeating: 0, count: automaton.stateCount)
    for (index, target) in automaton.transitions.enumerated() where target >= 0 {
      guard classSizes[index % automaton.classCount] > 0 else { continue }
      sources[Int(target)].append(Int32(index / automaton.classCount))
      open[index / automaton.classCount] += 1
    }
    // What is on no way to a cycle is settled from the ends; all else has no bound.
    var counts = [Int32](repeating: unbounded, count: automaton.stateCount)
    var settled = (0..<automaton.stateCount).filter { open[$0] == 0 }
    while let state = settled.popLast() {
      var total = automaton.accepting[state] ? 1 : 0
      for number in 0..<automaton.classCount where classSizes[number] > 0 {
        let target = automaton.transitions[state * automaton.classCount + number]
        guard target >= 0 else { continue }
        total = min(total + classSizes[number] * Int(counts[Int(target)]), Int(unbounded))
      }
      counts[state] = Int32(total)
      for source in sources[state] {
        open[Int(source)] -= 1
        if open[Int(source)] == 0 { settled.append(Int(source)) }
      }
    }
    return counts
  }
}
