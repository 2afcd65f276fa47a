package import FMBackend
package import FMCore

/// The synchronous core: sequences over paged KV blocks, and the step that computes rows of them.
///
/// Knows nothing of requests, sampling or time. One owner calls it from one thread at a time; the
/// engine's actor is that owner. A step whose arrays have reached their size allocates nothing.
package final class StepEngine {
  package let executor: any Executor
  package let pools: BlockPools
  /// Nil when prefixes are not cached.
  package let prefixCache: (any PrefixCache)?
  /// The window rule of each KV group.
  package let rules: [WindowRule]
  /// The most positions of a sequence: the program's, or less where the pools are smaller.
  package let contextLength: Int
  /// The answers of the last step, one entry for each row that asked, in row order.
  package private(set) var result = StepResult()
  /// Steps run, rows of them, and blocks copied because they were shared.
  package private(set) var counters = Counters()

  /// Counts since the step engine was made.
  package struct Counters: Sendable, Hashable {
    package var steps = 0
    package var rows = 0
    package var blockCopies = 0
  }

  /// Consecutive rows of one sequence in the step being built.
  struct Run {
    var slot: Int
    var firstRow: Int
    var count: Int
  }

  var sequences: [SequenceState] = []
  private var freeSlots: [Int] = []
  private var step = Step()
  private var runs: [Run] = []
  private var shortage: [Int]

  /// Wraps an executor; the cache, where given, must count blocks in the pools made here.
  ///
  /// `makePrefixCache` gets the window rules. `chunk` is the most rows a caller puts in one step
  /// for one sequence; it decides how much of a windowed group a sequence needs.
  package init(
    executor: any Executor, windowSlackTokens: Int = 32, chunk: Int = 256,
    makePrefixCache: (([WindowRule]) -> any PrefixCache)? = nil
  ) {
    self.executor = executor
    let counts = executor.configuration.blockCounts
    let groups = executor.program.kv.groups
    precondition(counts.count == groups.count, "one block count for each KV group")
    rules = groups.map { WindowRule(window: $0.window, slack: windowSlackTokens) }
    pools = BlockPools(counts: counts)
    prefixCache = makePrefixCache?(rules)
    var context = executor.program.contextLength
    for (rule, count) in zip(rules, counts)
    where count < rule.maximumBlocks(contextLength: context, chunk: chunk) {
      context = min(context, count * KVLayout.blockTokens)
    }
    contextLength = context
    shortage = Array(repeating: 0, count: groups.count)
    reserve(rows: executor.configuration.maximumRows)
  }

  private func reserve(rows: Int) {
    step.tokens.reserveCapacity(rows)
    step.positions.reserveCapacity(rows)
    step.sequences.reserveCapacity(rows)
    step.outputs.reserveCapacity(executor.configuration.maximumOutputs)
    result.entries.reserveCapacity(executor.configuration.maximumOutputs)
    runs.reserveCapacity(rows)
  }

  // MARK: Sequences

  /// Makes an empty sequence, with room for `capacity` tokens reserved.
  package func makeSequence(capacity: Int = 0) -> SequenceID {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = sequences.count
      sequences.append(SequenceState(groupCount: rules.count))
    }
    sequences[slot].isLive = true
    sequences[slot].generation &+= 1
    sequences[slot].tokens.reserveCapacity(min(capacity, contextLength))
    for group in rules.indices {
      sequences[slot].tables[group].reserveCapacity(
        WindowRule.blocks(holding: min(capacity, contextLength)))
    }
    return SequenceID(slot: slot, generation: sequences[slot].generation)
  }

  /// Makes a sequence that begins with what the prefix cache has of `tokens`.
  ///
  /// At most `limit` tokens are taken over: a prompt leaves its last token to be computed, so that
  /// there are logits.
  package func makeSequence(
    reusing tokens: [TokenID], limit: Int, capacity: Int
  ) -> (id: SequenceID, reuse: PrefixReuse) {
    let id = makeSequence(capacity: capacity)
    guard let prefixCache else {
      return (id, PrefixReuse(tokens: 0, missReason: .disabled))
    }
    let match = prefixCache.match(tokens, limit: min(limit, contextLength), pools: pools)
    sequences[id.slot].tokens.append(contentsOf: tokens[..<match.length])
    for group in rules.indices {
      sequences[id.slot].tables[group].append(contentsOf: match.tables[group])
      sequences[id.slot].firstLive[group] =
        match.tables[group].firstIndex { $0 >= 0 } ?? match.tables[group].count
    }
    return (id, PrefixReuse(tokens: match.length, missReason: match.reason))
  }

  /// Positions computed so far: the position of the sequence's next row.
  package func length(of id: SequenceID) throws(EngineError) -> Int {
    sequences[try slot(of: id)].tokens.count
  }

  /// The tokens computed so far.
  package func tokens(of id: SequenceID) throws(EngineError) -> [TokenID] {
    sequences[try slot(of: id)].tokens
  }

  /// Undoes positions from `count` on, as if they had never been computed.
  ///
  /// - Throws: ``EngineError/windowGone(group:position:)`` when a sliding window has given up what
  ///   the row at `count` needs; the sequence is unchanged then.
  package func truncate(_ id: SequenceID, to count: Int) throws(EngineError) {
    let slot = try slot(of: id)
    guard count >= 0, count <= sequences[slot].tokens.count else {
      throw .invalidRequest(
        "cannot truncate \(sequences[slot].tokens.count) tokens to \(count)")
    }
    if let group = sequences[slot].groupMissingWindow(position: count, rules: rules) {
      throw .windowGone(group: group, position: count)
    }
    sequences[slot].tokens.removeLast(sequences[slot].tokens.count - count)
    sequences[slot].trimTables(to: count, pools: pools)
  }

  /// Remembers the sequence's first `count` tokens (all: nil) in the prefix cache.
  ///
  /// Windows that have left the end of those tokens make it useless; nothing is remembered then.
  package func remember(_ id: SequenceID, first count: Int? = nil) throws(EngineError) {
    let slot = try slot(of: id)
    guard let prefixCache else { return }
    let state = sequences[slot]
    let count = min(count ?? state.tokens.count, state.tokens.count)
    guard count > 0, state.groupMissingWindow(position: count, rules: rules) == nil else { return }
    let blocks = WindowRule.blocks(holding: count)
    prefixCache.insert(
      Array(state.tokens[..<count]), tables: state.tables.map { Array($0.prefix(blocks)) },
      pools: pools)
  }

  /// Frees the sequence and its blocks; the id is invalid from here on.
  package func free(_ id: SequenceID) throws(EngineError) {
    let slot = try slot(of: id)
    sequences[slot].removeAll(pools: pools)
    sequences[slot].isLive = false
    freeSlots.append(slot)
  }

  private func slot(of id: SequenceID) throws(EngineError) -> Int {
    guard id.slot < sequences.count, sequences[id.slot].isLive,
      sequences[id.slot].generation == id.generation
    else { throw .unknownSequence }
    return id.slot
  }

  // MARK: The step

  /// Computes rows of any mix of sequences; rows of one sequence are consecutive.
  ///
  /// Afterwards ``result`` has an entry for each row that asked. Cached prefixes are evicted when
  /// blocks run short.
  /// - Throws: ``EngineError/contextExceeded(promptTokens:contextLength:)`` or
  ///   ``EngineError/outOfBlocks(group:needed:free:)`` before anything is computed;
  ///   ``EngineError/backend(_:)`` when the executor fails. The sequences are as before then.
  package func step(_ rows: [StepRow]) throws(EngineError) {
    try splitRuns(rows)
    try reserveBlocks()
    do {
      try takeBlocks()
      fillStep(rows)
      result.removeAll()
      try executor.run(step, into: &result)
    } catch {
      for run in runs {
        sequences[run.slot].trimTables(to: sequences[run.slot].tokens.count, pools: pools)
      }
      throw .backend(error)
    }
    counters.steps += 1
    counters.rows += rows.count
    for run in runs {
      for row in run.firstRow..<run.firstRow + run.count {
        sequences[run.slot].tokens.append(rows[row].token)
      }
      sequences[run.slot].releaseLeftBlocks(rules: rules, pools: pools)
    }
  }

  private func splitRuns(_ rows: [StepRow]) throws(EngineError) {
    runs.removeAll(keepingCapacity: true)
    guard !rows.isEmpty, rows.count <= executor.configuration.maximumRows else {
      throw .invalidRequest(
        "a step of \(rows.count) rows; 1...\(executor.configuration.maximumRows) are possible")
    }
    for row in rows.indices {
      let slot = try slot(of: rows[row].sequence)
      if let last = runs.last, last.slot == slot {
        runs[runs.count - 1].count += 1
      } else {
        guard !runs.contains(where: { $0.slot == slot }) else {
          throw .invalidRequest("rows of one sequence are not consecutive")
        }
        runs.append(Run(slot: slot, firstRow: row, count: 1))
      }
    }
    for run in runs {
      let length = sequences[run.slot].tokens.count + run.count
      guard length <= contextLength else {
        throw .contextExceeded(promptTokens: length, contextLength: contextLength)
      }
    }
  }

  /// Makes sure that the pools have what the step needs, evicting cached prefixes if they must go.
  private func reserveBlocks() throws(EngineError) {
    while true {
      for group in shortage.indices { shortage[group] = -pools.groups[group].freeCount }
      for run in runs {
        for group in shortage.indices { shortage[group] += blocksNeeded(run, group: group) }
      }
      guard let group = shortage.firstIndex(where: { $0 > 0 }) else { return }
      if let prefixCache, prefixCache.evict(pools: pools) { continue }
      let free = pools.groups[group].freeCount
      throw .outOfBlocks(group: group, needed: shortage[group] + free, free: free)
    }
  }

  private func blocksNeeded(_ run: Run, group: Int) -> Int {
    let position = sequences[run.slot].tokens.count
    let end = WindowRule.blocks(holding: position + run.count)
    let new = end - sequences[run.slot].tables[group].count
    return sharesLastBlock(run, group: group) ? new + 1 : new
  }

  /// Whether the run's first row writes into a block that somebody else sees as well.
  private func sharesLastBlock(_ run: Run, group: Int) -> Bool {
    let position = sequences[run.slot].tokens.count
    guard position % KVLayout.blockTokens != 0 else { return false }
    let block = sequences[run.slot].tables[group][position / KVLayout.blockTokens]
    return pools.groups[group].isShared(block)
  }

  private func takeBlocks() throws(BackendError) {
    for run in runs {
      let position = sequences[run.slot].tokens.count
      let end = WindowRule.blocks(holding: position + run.count)
      for group in rules.indices {
        if sharesLastBlock(run, group: group) {
          try copyLastBlock(run, group: group, index: position / KVLayout.blockTokens)
        }
        while sequences[run.slot].tables[group].count < end {
          sequences[run.slot].tables[group].append(newBlock(group))
        }
      }
    }
  }

  private func copyLastBlock(_ run: Run, group: Int, index: Int) throws(BackendError) {
    let shared = sequences[run.slot].tables[group][index]
    let own = newBlock(group)
    do {
      try executor.copyBlock(group: group, from: Int(shared), to: Int(own))
    } catch {
      pools.groups[group].release(own)
      throw error
    }
    sequences[run.slot].tables[group][index] = own
    pools.groups[group].release(shared)
    counters.blockCopies += 1
  }

  private func newBlock(_ group: Int) -> Int32 {
    guard let block = pools.groups[group].allocate() else {
      preconditionFailure("reserveBlocks made sure of the block")
    }
    return block
  }

  private func fillStep(_ rows: [StepRow]) {
    step.removeAll()
    for (index, run) in runs.enumerated() {
      let position = sequences[run.slot].tokens.count
      for row in 0..<run.count {
        step.tokens.append(rows[run.firstRow + row].token)
        step.positions.append(Int32(position + row))
        step.sequences.append(Int32(index))
      }
      for group in rules.indices {
        step.tableStarts.append(Int32(step.blocks.count))
        step.blocks.append(contentsOf: sequences[run.slot].tables[group])
      }
    }
    step.tableStarts.append(Int32(step.blocks.count))
    for row in rows.indices {
      guard let kind = rows[row].output else { continue }
      step.outputs.append(
        OutputRequest(row: row, kind: kind, mask: rows[row].mask, bias: rows[row].bias))
    }
  }
}
