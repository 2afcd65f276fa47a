/// The order in which the trials of all cells are played.
///
/// A full-length warm-up of every cell comes first. Then rounds: each plays one trial of every cell
/// that has trials left, the cells forwards in even rounds and backwards in odd ones (ABBA), so that
/// a drift of the machine falls on all cells alike. With several arms a cell's trials of one round
/// are neighbours: A B, and B A in odd rounds.
package struct TrialSchedule: Sendable, Hashable {
  /// One trial to play; its place in the array is its `order_index`.
  package struct Entry: Sendable, Hashable {
    package var cell: Int
    package var arm: Int
    /// Counts from 0 within the cell; warm-ups apart from measured trials.
    package var repetition: Int
    package var isWarmUp: Bool
  }

  package var entries: [Entry]

  /// Schedules `trials[i]` trials of cell `i` for each arm.
  package init(trials: [Int], warmUps: Int = 1, arms: Int = 1) {
    entries = []
    for repetition in 0..<max(0, warmUps) {
      entries += Self.entries(repetition, Array(trials.indices), arms, isWarmUp: true)
    }
    for round in 0..<(trials.max() ?? 0) {
      entries += Self.round(round, cells: trials.indices.filter { trials[$0] > round }, arms: arms)
    }
  }

  /// One measured trial of each of the cells for each arm, in the order of that round.
  package static func round(_ number: Int, cells: [Int], arms: Int) -> [Entry] {
    let entries = entries(number, cells, arms, isWarmUp: false)
    return number % 2 == 0 ? entries : entries.reversed()
  }

  private static func entries(
    _ repetition: Int, _ cells: [Int], _ arms: Int, isWarmUp: Bool
  ) -> [Entry] {
    cells.flatMap { cell in
      (0..<arms).map {
        Entry(cell: cell, arm: $0, repetition: repetition, isWarmUp: isWarmUp)
      }
    }
  }
}
