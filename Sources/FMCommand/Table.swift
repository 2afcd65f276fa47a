/// Text in columns for standard output.
package struct Table: Sendable {
  /// The side of a column its cells keep to.
  package enum Alignment: Sendable, Hashable { case left, right }

  /// A column's heading and the side its cells keep to.
  package struct Column: Sendable, Hashable {
    package let heading: String
    package let alignment: Alignment

    /// Describes a column.
    package init(_ heading: String, _ alignment: Alignment = .left) {
      self.heading = heading
      self.alignment = alignment
    }
  }

  package let columns: [Column]
  private var rows: [[String]] = []

  /// A table without rows.
  package init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; missing cells are empty, and control characters in cells are escaped.
  package mutating func add(_ cells: [String]) {
    precondition(cells.count <= columns.count, "more cells than columns")
    let cells = cells.map { Printable.text($0, limit: 8192) }
    rows.append(cells + [String](repeating: "", count: columns.count - cells.count))
  }

  /// The lines with the headings first, two spaces between columns and none at the end of a line.
  package var text: String {
    var widths = columns.map { Self.width($0.heading) }
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], Self.width(cell))
      }
    }
    return ([columns.map(\.heading)] + rows).map { line($0, widths) + "\n" }.joined()
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let space = String(repeating: " ", count: widths[index] - Self.width(cell))
      if index > 0 { line += "  " }
      line += columns[index].alignment == .left ? cell + space : space + cell
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Columns a cell takes: one a scalar that is neither a mark nor a joiner.
  private static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { count, scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format, .control: count
      default: count + 1
      }
    }
  }
}
