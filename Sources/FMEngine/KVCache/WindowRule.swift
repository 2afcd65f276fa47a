package import FMBackend

/// Which blocks of a group a sequence must keep, from the group's window.
///
/// A row at position p sees `max(0, p - window + 1) ... p`; `slack` more positions before that are
/// kept so that short truncations stay possible.
package struct WindowRule: Sendable, Hashable {
  /// Positions a row sees, itself included; nil for all.
  package var window: Int?
  /// Positions kept before the window.
  package var slack: Int

  package init(window: Int?, slack: Int) {
    self.window = window
    self.slack = slack
  }

  /// The first block that the row at `position` reads.
  package func firstNeededBlock(position: Int) -> Int {
    guard let window else { return 0 }
    return max(0, position - window + 1) / KVLayout.blockTokens
  }

  /// The first block that is kept when the next row is at `position`.
  package func firstKeptBlock(position: Int) -> Int {
    guard let window else { return 0 }
    return max(0, position - window + 1 - slack) / KVLayout.blockTokens
  }

  /// The most blocks one sequence holds at a time, with `chunk` rows a step.
  package func maximumBlocks(contextLength: Int, chunk: Int) -> Int {
    let all = Self.blocks(holding: contextLength)
    guard let window else { return all }
    return min(all, Self.blocks(holding: window + slack + chunk) + 1)
  }

  /// Blocks that hold `count` positions from 0.
  package static func blocks(holding count: Int) -> Int {
    (count + KVLayout.blockTokens - 1) / KVLayout.blockTokens
  }
}

/// Sizes the KV pools of an executor.
package enum KVPlan {
  /// Blocks for each group so that `sequences` full contexts fit at a time.
  ///
  /// Windowed groups get what a sequence can hold at once and `cachedWindows` windows more for the
  /// prefix cache. - Complexity: O(groups).
  package static func blockCounts(
    layout: KVLayout, contextLength: Int, sequences: Int, configuration: EngineConfiguration,
    cachedWindows: Int = 4
  ) -> [Int] {
    layout.groups.map { group in
      let rule = WindowRule(window: group.window, slack: configuration.windowSlackTokens)
      let one = rule.maximumBlocks(
        contextLength: contextLength, chunk: configuration.prefillChunk)
      let cached =
        group.window == nil
        ? 0 : cachedWindows * rule.maximumBlocks(contextLength: contextLength, chunk: 0)
      return one * max(1, sequences) + cached
    }
  }
}
