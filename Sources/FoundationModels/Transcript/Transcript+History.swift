extension Transcript {
  /// The entries without the leading instructions.
  public var history: HistoryView {
    get { HistoryView(entries: Array(entries.dropFirst(instructionsCount))) }
    set { entries.replaceSubrange(instructionsCount..., with: newValue.entries) }
  }

  private var instructionsCount: Int {
    if case .instructions? = entries.first { 1 } else { 0 }
  }

  /// What was said after the instructions; editing it edits the transcript it was taken from.
  public struct HistoryView: Sendable, Equatable {
    var entries: [Entry]
  }
}

extension Transcript.HistoryView: RandomAccessCollection, MutableCollection,
  RangeReplaceableCollection, ExpressibleByArrayLiteral
{
  /// A position in a history.
  public struct Index: Comparable, Hashable, Sendable {
    var offset: Int

    /// Whether one position is before another.
    public static func < (left: Index, right: Index) -> Bool { left.offset < right.offset }
  }

  /// No entries.
  public init() { entries = [] }

  /// These entries.
  public init(arrayLiteral elements: Transcript.Entry...) { entries = elements }

  /// The first entry's position.
  public var startIndex: Index { Index(offset: 0) }

  /// The position after the last entry.
  public var endIndex: Index { Index(offset: entries.count) }

  /// The next position.
  public func index(after index: Index) -> Index { Index(offset: index.offset + 1) }

  /// The position before.
  public func index(before index: Index) -> Index { Index(offset: index.offset - 1) }

  /// A position so many entries further.
  public func index(_ index: Index, offsetBy distance: Int) -> Index {
    Index(offset: index.offset + distance)
  }

  /// The entries from one position to another.
  public func distance(from start: Index, to end: Index) -> Int { end.offset - start.offset }

  /// An entry by position.
  public subscript(position: Index) -> Transcript.Entry {
    get { entries[position.offset] }
    set { entries[position.offset] = newValue }
  }

  /// Puts other entries in the place of some.
  public mutating func replaceSubrange(
    _ subrange: Range<Index>, with newElements: some Collection<Transcript.Entry>
  ) {
    entries.replaceSubrange(
      subrange.lowerBound.offset..<subrange.upperBound.offset, with: newElements)
  }
}
