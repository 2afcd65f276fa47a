/// Numbers as a report writes them.
enum Quantity {
  /// Three significant digits, or all whole ones with a comma every three.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    guard value.magnitude < 1e12 else { return "\(value)" }
    let text = ComparisonText.significant(value)
    guard value.magnitude >= 10_000, let whole = Int(text) else { return text }
    return count(whole)
  }

  /// A whole number with a comma every three digits.
  static func count(_ value: Int) -> String {
    let digits = Array(String(value.magnitude).utf8)
    var bytes: [UInt8] = []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { bytes.append(0x2C) }
      bytes.append(digit)
    }
    return (value < 0 ? "−" : "") + String(decoding: bytes, as: UTF8.self)
  }

  /// `285–419`.
  static func range(_ low: Double, _ high: Double) -> String { number(low) + "–" + number(high) }

  /// `0.42 ms`, `318 ms`, `12.4 s`.
  static func milliseconds(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    if value.magnitude >= 9_999.5 { return number(value / 1000) + "\u{A0}s" }
    return number(value) + "\u{A0}ms"
  }

  /// A value with its unit, for prose.
  static func text(_ value: Double, _ metric: Metric) -> String {
    switch metric.unit {
    case "ms": milliseconds(value)
    case "share": percent(value)
    case "tokens/s": number(value) + "\u{A0}tokens/s"
    default: number(value) + " " + metric.unit
    }
  }

  /// `87 %`; `0.8 %` below a tenth, and zero without a point.
  static func percent(_ share: Double) -> String {
    let digits = share.magnitude < 0.1 && share != 0 ? 1 : 0
    return ReportTable.fixed(share * 100, digits) + "\u{A0}%"
  }

  /// `1 run`, `3 runs`.
  static func counted(_ value: Int, _ noun: String) -> String {
    "\(count(value)) \(noun)" + (value == 1 ? "" : "s")
  }

  /// `23.4 GB`; decimal units.
  static func bytes(_ value: Int) -> String {
    let units: [(Double, String)] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (scale, name) in units where Double(value) >= scale {
      return "\(number(Double(value) / scale)) \(name)"
    }
    return "\(count(value)) bytes"
  }

  /// Percent of a chart's width or of another whole, with at most two digits after the point.
  static func coordinate(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1e6), 1e6) * 100).rounded())
    let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
    let sign = hundredths < 0 ? "-" : ""
    if part == 0 { return "\(sign)\(whole)" }
    if part % 10 == 0 { return "\(sign)\(whole).\(part / 10)" }
    return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
  }
}

extension TrialQuality {
  /// Full circles, the more the steadier: told apart without colour.
  var mark: String {
    switch self {
    case .steady: "●●●"
    case .fair: "●●○"
    case .noisy: "●○○"
    case .poor: "○○○"
    }
  }
}
