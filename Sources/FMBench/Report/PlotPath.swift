/// The text of an SVG path in a plot that is 1000 wide and stretched to its place.
///
/// Strokes do not stretch, so a line of no length with round ends is a round dot. A path holds any
/// number of dots in one element, which is what lets a page with ten thousand requests open at once.
struct PlotPath {
  private(set) var text = ""
  /// Dots that fell on the same spot are drawn once.
  private var drawn: Set<Int> = []

  static let width = 1000.0

  var isEmpty: Bool { text.isEmpty }

  /// Starts at a point.
  mutating func move(_ fraction: Double, _ y: Double) {
    text += "M" + Self.number(fraction * Self.width) + " " + Self.number(y)
  }

  /// Draws to a point.
  mutating func line(_ fraction: Double, _ y: Double) {
    text += "L" + Self.number(fraction * Self.width) + " " + Self.number(y)
  }

  /// A mark of a series, so large that it is told from others by its form.
  mutating func mark(_ fraction: Double, _ y: Double, _ glyph: PlotGlyph) {
    let spot = Int((fraction * Self.width).rounded()) << 24 | Int((y * 2).rounded())
    guard drawn.insert(spot).inserted else { return }
    move((fraction * Self.width).rounded() / Self.width, y)
    text += glyph.path
  }

  /// A filled box; at least a sliver, so that what happened is seen.
  mutating func box(from start: Double, to end: Double, top: Double, height: Double) {
    let (left, right) = (start * Self.width, max(end, start + 0.0012) * Self.width)
    text +=
      "M" + Self.number(left) + " " + Self.number(top) + "H" + Self.number(right) + "v"
      + Self.number(height) + "H" + Self.number(left) + "z"
  }

  /// Upright lines from top to bottom at every tick.
  static func grid(_ axis: ChartAxis, height: Double) -> String {
    axis.ticks.map { "M" + number($0.fraction * width) + " 0v" + number(height) }.joined()
  }

  static func number(_ value: Double) -> String { Quantity.coordinate(value) }
}

/// The form of a series' marks: told apart without colour.
enum PlotGlyph: Int, CaseIterable {
  case disc, square, bar, plus, dash, cross

  /// The glyph and colour of a series; they repeat after six.
  init(series: Int) { self = Self.allCases[series % Self.allCases.count] }

  /// Drawn from the mark's place.
  var path: String {
    switch self {
    case .disc, .square: "h0"
    case .bar: "m0-5v10"
    case .plus: "m-6 0h12m-6-4v8"
    case .dash: "m-7 0h14"
    case .cross: "m-5-3l10 6m0-6l-10 6"
    }
  }

  var name: String {
    switch self {
    case .disc: "disc"
    case .square: "square"
    case .bar: "bar"
    case .plus: "plus"
    case .dash: "dash"
    case .cross: "cross"
    }
  }
}
