package import FMBackend

/// How the work of a planned step is divided over threads.
///
/// Two steps with equal partitions give the same part of a value to the same thread, so no barrier
/// is needed between them.
package enum Partition: Sendable, Hashable {
  /// Every thread does all of it, on its own copy of what it writes.
  case replicated
  /// Consecutive rows.
  case rows(RowDomain)
  /// All rows, consecutive columns: `width` in pieces of `unit`.
  case columns(width: Int, unit: Int)
  /// Queries and blocks, divided when the step is known.
  case attention

  /// The pieces of `count` that thread `index` of `threads` does.
  package static func share(of count: Int, index: Int, threads: Int) -> Range<Int> {
    count * index / threads..<count * (index + 1) / threads
  }
}

/// What a planned step does.
package enum PlannedWork: Sendable, Hashable {
  /// An op of the program, by its index.
  case op(Int)
  /// Quantizes a value for the matrix products that read it.
  case quantize(ValueID)
  /// Fills the cosines and sines of the step's positions.
  case rotations
  /// Merges the partial results of the attention op of this index, where its blocks were divided.
  case attentionMerge(Int)
}

/// One entry of a plan: work, and how it is divided.
package struct PlannedStep: Sendable, Hashable {
  package var work: PlannedWork
  package var partition: Partition

  package init(_ work: PlannedWork, _ partition: Partition) {
    self.work = work
    self.partition = partition
  }
}

/// Steps between two barriers: within a phase no thread reads what another one writes.
package struct PlannedPhase: Sendable, Hashable {
  package var steps: [PlannedStep]
}

/// What a step reads or writes.
package enum PlannedResource: Sendable, Hashable {
  case value(Int)
  /// The quantized form of a value.
  case quantized(Int)
  case cache(layer: Int)
  case rotations
  case partials
}
