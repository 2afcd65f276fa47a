import Foundation

/// Maps values to a place on an axis, with marks at round numbers.
struct ChartAxis: Sendable {
  let low: Double
  let high: Double
  /// Equal distances are equal ratios.
  let isLogarithmic: Bool

  /// Where an axis begins.
  enum Start: Sendable {
    /// At 0: lengths are seen.
    case zero
    /// At 0, and logarithmic where the largest is more than eight times the smallest.
    case zeroOrRatios
    /// Near the least value, or logarithmic as above.
    case least
  }

  /// An axis that shows all finite `values`.
  init(_ values: [Double], from start: Start) {
    // Far below what a double holds, so that no difference of two overflows.
    let shown = values.filter { $0.isFinite && $0.magnitude < 1e30 }
    let least = shown.min() ?? 0
    let most = shown.max() ?? 1
    if start != .zero, least > 0, most > 8 * least {
      (low, high, isLogarithmic) = (least / 1.15, most * 1.15, true)
    } else if start != .least {
      (low, high, isLogarithmic) = (min(0, least), max(0, most, least + 1e-9) * 1.04, false)
    } else {
      let margin = max((most - least) * 0.06, most.magnitude * 0.01, 1e-9)
      (low, high, isLogarithmic) = (least - margin, most + margin, false)
    }
  }

  /// An axis that shows all finite `values` with equal distances for equal differences.
  ///
  /// It begins at 0 where the least is less than half of the greatest.
  init(linear values: [Double]) {
    let shown = values.filter { $0.isFinite && $0.magnitude < 1e30 }
    let (least, most) = (shown.min() ?? 0, shown.max() ?? 1)
    if least >= 0, least < most / 2 {
      (low, high, isLogarithmic) = (0, most * 1.04, false)
    } else {
      let margin = max((most - least) * 0.06, most.magnitude * 0.01, 1e-9)
      (low, high, isLogarithmic) = (least - margin, most + margin, false)
    }
  }

  /// Where a value lies, 0 at the low end and 1 at the high end; what lies beyond is put at the end.
  func fraction(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    let place: Double
    if isLogarithmic {
      guard value > 0 else { return 0 }
      place = log(value / low) / log(high / low)
    } else {
      place = (value - low) / (high - low)
    }
    return place.isFinite ? min(max(place, 0), 1) : 0
  }

  /// A round number on the axis.
  struct Tick: Sendable {
    var fraction: Double
    var label: String
  }

  /// A few round numbers, in rising order.
  var ticks: [Tick] {
    let all = isLogarithmic ? logarithmicTicks : linearTicks
    // Long numbers would run into each other in a narrow chart.
    let letters = all.reduce(0) { $0 + $1.label.utf8.count + 2 }
    return letters <= 36 ? all : all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }

  private var linearTicks: [Tick] {
    // The largest round step that gives three marks or more.
    let rough = (high - low) / 3
    guard rough > 0, rough.isFinite else { return [] }
    let power = pow(10, floor(log10(rough)))
    let step = ([5.0, 2].first { $0 * power <= rough } ?? 1) * power
    guard step > 0, step.isFinite else { return [] }
    let digits = Int(min(6, max(0, -floor(log10(step) + 1e-9))))
    var ticks: [Tick] = []
    let first = (low / step).rounded(.up)
    for index in 0..<9 {
      let value = (first + Double(index)) * step
      guard value <= high else { break }
      ticks.append(Tick(fraction: fraction(value), label: Self.label(value, digits)))
    }
    return ticks
  }

  private var logarithmicTicks: [Tick] {
    var values: [Double] = []
    let decades = Int(floor(log10(low)))...Int(ceil(log10(high)))
    for decade in decades {
      for factor in [1.0, 2, 5] {
        let value = factor * pow(10, Double(decade))
        if value >= low, value <= high { values.append(value) }
      }
    }
    // 1, 2, 5, 10 … where they fit, else the powers of ten, else some of those.
    if values.count > 6 {
      values = values.filter { abs(log10($0).rounded() - log10($0)) < 1e-9 }
    }
    let stride = max(1, (values.count + 5) / 6)
    return values.enumerated().filter { $0.offset % stride == 0 }.map {
      Tick(
        fraction: fraction($0.element),
        label: Self.label($0.element, $0.element < 1 ? Int(min(6, -floor(log10($0.element)))) : 0))
    }
  }

  private static func label(_ value: Double, _ digits: Int) -> String {
    let text = ReportTable.fixed(value, digits)
    guard digits == 0, value.magnitude >= 10_000, let whole = Int(text) else { return text }
    return Quantity.count(whole)
  }
}

/// Where the label of a tick goes, so that those at the ends stay inside.
extension ChartAxis.Tick {
  var anchor: String { fraction < 0.05 ? "start" : fraction > 0.95 ? "end" : "middle" }

  var percent: String { Quantity.coordinate(fraction * 100) + "%" }
}
