/// The order in which the trials of all cells are played.
///
/// A full-length warm-up of every cell comes first. Then rounds: each plays one trial of every cell
/// that has trials left, the cells forwards in even rounds and backwards in odd ones (ABBA), so that
/// a drift of the machine falls on all cells alike.
package struct TrialSchedule: Sendable, Hashable {
  /// One trial to play; its place in the array is its `order_index`.
  package struct Entry: Sendable, Hashable {
    package var cell: Int
    /// Counts from 0 within the cell; warm-ups apart from measured trials.
    package var repetition: Int
    package var isWarmUp: Bool
  }

  package var entries: [Entry]

  /// Schedules `trials[i]` trials of cell `i`.
  package init(trials: [Int], warmUps: Int = 1) {
    entries = []
    for repetition in 0..<max(0, warmUps) {
      entries += trials.indices.map {
        Entry(cell: $0, repetition: repetition, isWarmUp: true)
      }
    }
    for round in 0..<(trials.max() ?? 0) {
      let cells = trials.indices.filter { trials[$0] > round }
      entries += (round % 2 == 0 ? cells : cells.reversed()).map {
        Entry(cell: $0, repetition: round, isWarmUp: false)
      }
    }
  }
}
