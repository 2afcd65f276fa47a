package import FMBackend

/// Where every value of a plan lies in scratch memory, planned so that values share what they can.
package struct ScratchLayout: Sendable, Hashable {
  /// A value's rows: row r of thread t is at `offset + r * stride` bytes of the shared part, or of
  /// thread t's own part.
  package struct Slot: Sendable, Hashable, BitwiseCopyable {
    package var offset: Int
    package var stride: Int
    package var isPrivate: Bool
  }

  /// By value; nil for one that the plan does not use.
  package var values: [Slot?]
  /// By value: its quantized form.
  package var quantized: [Slot?]
  /// Bytes of the part that all threads share.
  package var sharedBytes: Int
  /// Bytes of each thread's own part.
  package var privateBytes: Int

  /// Lays out `plan`.
  ///
  /// `quantizedBytes` gives the bytes of a quantized row of so many columns.
  package init(
    plan: ExecutionPlan, program: Program, maximumRows: Int, maximumOutputs: Int,
    quantizedBytes: (Int) -> Int
  ) {
    var shared = Region()
    var own = Region()
    func rows(_ domain: RowDomain) -> Int {
      let most = domain == .step ? maximumRows : maximumOutputs
      return plan.shape == .few ? min(most, ExecutionPlan.Shape.fewRows) : most
    }
    func place(_ stride: Int, _ rows: Int, _ span: ClosedRange<Int>, _ isPrivate: Bool) -> Slot {
      let bytes = stride * max(rows, 1)
      let offset =
        isPrivate
        ? own.place(bytes: bytes, span: span) : shared.place(bytes: bytes, span: span)
      return Slot(offset: offset, stride: stride, isPrivate: isPrivate)
    }
    values = program.values.enumerated().map { index, value in
      plan.valueSpans[index].map { span in
        place(
          Self.align(value.width * 4), rows(value.domain), span, plan.isPrivate[index])
      }
    }
    quantized = program.values.enumerated().map { index, value in
      plan.quantizedSpans[index].map { span in
        place(
          Self.align(quantizedBytes(value.width)), rows(value.domain), span,
          plan.quantizedForm[index] == .perThread)
      }
    }
    sharedBytes = shared.bytes
    privateBytes = own.bytes
  }

  /// Rounds up to a cache line, so that rows of different threads share none.
  package static func align(_ bytes: Int) -> Int { (bytes + 63) / 64 * 64 }

  /// Memory in which blocks whose spans do not meet may overlap.
  private struct Region {
    private var placed: [(range: Range<Int>, span: ClosedRange<Int>)] = []
    private(set) var bytes = 0

    /// The lowest offset that is free during the whole span.
    mutating func place(bytes count: Int, span: ClosedRange<Int>) -> Int {
      let busy = placed.filter { $0.span.overlaps(span) }.map(\.range)
        .sorted { $0.lowerBound < $1.lowerBound }
      var offset = 0
      for range in busy where range.upperBound > offset {
        if range.lowerBound >= offset + count { break }
        offset = range.upperBound
      }
      placed.append((offset..<offset + count, span))
      bytes = max(bytes, offset + count)
      return offset
    }
  }
}
