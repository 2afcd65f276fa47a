/// Numbers as people read them.
package enum Format {
  /// A size in bytes with three significant digits: `98.4 MB`; units are powers of 1000.
  package static func bytes(_ count: Int) -> String {
    scaled(Double(count), step: 1000, units: ["B", "kB", "MB", "GB", "TB", "PB", "EB"])
  }

  /// A count with three significant digits: `135 M`, `1.24 G`.
  package static func count(_ count: Int) -> String {
    scaled(Double(count), step: 1000, units: ["", "k", "M", "G", "T", "P", "E"])
  }

  /// A time: `850 µs`, `12.3 ms`, `1.24 s`, `2:05` (minutes), `1:02:05` (hours).
  package static func duration(seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0 else { return "–" }
    if seconds < 1e-3 { return significant(seconds * 1e6) + " µs" }
    if seconds < 1 { return significant(seconds * 1e3) + " ms" }
    if seconds < 60 { return significant(seconds) + " s" }
    let whole = seconds < 1e15 ? Int(seconds.rounded()) : Int(1e15)
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    let tail = (rest < 10 ? ":0" : ":") + "\(rest)"
    return hours == 0
      ? "\(minutes)\(tail)" : "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)\(tail)"
  }

  /// `value` with `digits` after the point, rounded to nearest; not for values beyond 10^15.
  package static func fixed(_ value: Double, digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e15, digits >= 0, digits <= 9 else { return "\(value)" }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let product = (abs(value) * Double(scale)).rounded()
    guard product < 9e18 else { return "\(value)" }
    let scaled = Int(product)
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }

  /// `value` with three significant digits, or whole where it has more before the point.
  package static func significant(_ value: Double) -> String {
    let magnitude = abs(value)
    if magnitude < 9.995 { return fixed(value, digits: 2) }
    return fixed(value, digits: magnitude < 99.95 ? 1 : 0)
  }

  private static func scaled(_ value: Double, step: Double, units: [String]) -> String {
    var rest = value
    var index = 0
    while abs(rest) >= step - 0.5, index < units.count - 1 {
      rest /= step
      index += 1
    }
    let number = index == 0 ? fixed(rest, digits: 0) : significant(rest)
    return units[index].isEmpty ? number : "\(number) \(units[index])"
  }
}
