/// The one source of dates for chat templates: a calendar date and time given by the caller.
///
/// No template reads a clock. A prompt that shows a date is the same, byte for byte, as long as
/// the caller gives the same `TemplateDate`. Without one, `strftime_now` does not exist, and
/// templates that ask first (Llama 3.2's does) print the fixed date of their own.
package struct TemplateDate: Sendable, Hashable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int

  package init(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The date of a Unix time, in the zone `offsetSeconds` east of UTC.
  package init(unixSeconds: Int64, offsetSeconds: Int = 0) {
    let local = unixSeconds &+ Int64(offsetSeconds)
    let days = Int((Double(local) / 86_400).rounded(.down))
    let rest = Int(local &- Int64(days) &* 86_400)
    // Hinnant, "chrono-Compatible Low-Level Date Algorithms": days to year, month, day.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    self.init(
      year: yearOfEra + era * 400 + (month >= 10 ? 1 : 0),
      month: month < 10 ? month + 3 : month - 9,
      day: dayOfYear - (153 * month + 2) / 5 + 1, hour: rest / 3600, minute: rest / 60 % 60,
      second: rest % 60)
  }

  /// Days since 1 January, from 0.
  private var dayOfYear: Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let starts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
    let start = starts[min(max(month - 1, 0), 11)]
    return start + day - 1 + (isLeap && month > 2 ? 1 : 0)
  }

  /// Sunday is 0.
  private var weekday: Int {
    let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    let y = month < 3 ? year - 1 : year
    let sum = y + y / 4 - y / 100 + y / 400 + offsets[min(max(month - 1, 0), 11)] + day
    return ((sum % 7) + 7) % 7
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// The date in C's `strftime` format, in the C locale.
  func formatted(
    _ format: String, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> String {
    var result = String.UnicodeScalarView()
    var scalars = Array(format.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      guard scalar == "%", var letter = scalars.popFirst() else {
        result.append(scalar)
        continue
      }
      var pads = true
      if letter == "-", let next = scalars.popFirst() {
        pads = false
        letter = next
      }
      guard let text = field(letter, pads: pads) else {
        throw interpreter.invalid("strftime_now does not know '%\(letter)'")
      }
      result.append(contentsOf: text.unicodeScalars)
    }
    return String(result)
  }

  private func field(_ letter: Unicode.Scalar, pads: Bool) -> String? {
    func two(_ value: Int) -> String { (pads && value < 10 ? "0" : "") + String(value) }
    let monthName = Self.months[min(max(month - 1, 0), 11)]
    let weekdayName = Self.weekdays[weekday]
    switch letter {
    case "Y": return String(year)
    case "y": return two(year % 100)
    case "m": return two(month)
    case "d": return two(day)
    case "e": return (pads && day < 10 ? " " : "") + String(day)
    case "H": return two(hour)
    case "I": return two((hour + 11) % 12 + 1)
    case "M": return two(minute)
    case "S": return two(second)
    case "p": return hour < 12 ? "AM" : "PM"
    case "B": return monthName
    case "b", "h": return String(monthName.unicodeScalars.prefix(3))
    case "A": return weekdayName
    case "a": return String(weekdayName.unicodeScalars.prefix(3))
    case "w": return String(weekday)
    case "u": return String(weekday == 0 ? 7 : weekday)
    case "j":
      let number = String(dayOfYear + 1)
      return String(repeating: "0", count: pads ? max(0, 3 - number.utf8.count) : 0) + number
    case "F": return "\(year)-\(two(month))-\(two(day))"
    case "T": return "\(two(hour)):\(two(minute)):\(two(second))"
    case "D": return "\(two(month))/\(two(day))/\(two(year % 100))"
    case "R": return "\(two(hour)):\(two(minute))"
    case "n": return "\n"
    case "t": return "\t"
    case "%": return "%"
    default: return nil
    }
  }
}
