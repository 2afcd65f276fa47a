package import FMCore

/// Progress on standard error: one line rewritten on a terminal, nothing elsewhere.
package struct ProgressBar {
  /// The most often the line is rewritten, in seconds.
  private static let interval = 0.1

  private let label: String
  package let total: Int?
  private let amountText: @Sendable (Int) -> String
  private let start: MonotonicInstant
  private let isShown: Bool
  private var lastShown: MonotonicInstant?
  private var startAmount = 0

  /// Starts at `amount` of `total`; a total of nil shows amounts only.
  ///
  /// - Parameter amountText: how amounts are written: as bytes unless given.
  package init(
    _ label: String, total: Int?, from amount: Int = 0,
    amountText: @escaping @Sendable (Int) -> String = Format.bytes,
    isShown: Bool = Terminal.errorIsTerminal
  ) {
    self.label = label
    self.total = total
    self.amountText = amountText
    self.isShown = isShown
    startAmount = amount
    start = .now
  }

  /// Shows that `amount` is done, unless the last time was a moment ago.
  package mutating func update(_ amount: Int, at now: MonotonicInstant = .now) {
    guard isShown else { return }
    if let lastShown, now.seconds(since: lastShown) < Self.interval { return }
    lastShown = now
    Terminal.printToError("\r" + line(amount, at: now, width: Terminal.width) + "\u{1B}[K")
  }

  /// Ends the line, leaving nothing of it.
  package mutating func finish() {
    guard isShown, lastShown != nil else { return }
    Terminal.printToError("\r\u{1B}[K")
    lastShown = nil
  }

  /// The line for `amount`, with the time that is left, at most `width` columns.
  package func line(_ amount: Int, at now: MonotonicInstant, width: Int) -> String {
    let seconds = now.seconds(since: start)
    let rate = seconds > 0 ? Double(amount - startAmount) / seconds : 0
    var facts = amountText(amount)
    if let total { facts += " of " + amountText(total) }
    if rate >= 1 { facts += "  " + amountText(Int(min(rate, 1e18))) + "/s" }
    guard let total, total > 0 else { return Self.cut("\(label)  \(facts)", to: width) }
    let share = min(1, max(0, Double(amount) / Double(total)))
    if rate > 0, amount < total {
      facts += "  " + Format.duration(seconds: Double(total - amount) / rate) + " left"
    }
    let percent = "\(Int(share * 100))%"
    let room = width - label.count - facts.count - percent.count - 8
    guard room >= 8 else { return Self.cut("\(label)  \(percent)  \(facts)", to: width) }
    let size = min(room, 30)
    let filled = Int(share * Double(size))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "-", count: size - filled)
    return "\(label)  [\(bar)] \(percent)  \(facts)"
  }

  private static func cut(_ text: String, to width: Int) -> String {
    String(text.prefix(max(0, width - 1)))
  }
}
