import FMBench
import FMCommand
import FMCore

/// A run on standard error: one line a finished request, and a bar with the time left.
struct RunProgress {
  private let showsRequests: Bool
  private let showsBar = Terminal.errorIsTerminal
  private var total = 0
  private var done = 0
  private var start = MonotonicInstant.now
  private var current = ""

  init(showsRequests: Bool) { self.showsRequests = showsRequests }

  mutating func observe(_ event: RunEvent) {
    switch event {
    case .started(let run, let trials):
      total = trials
      start = .now
      say("run \(run): \(trials) trials")
    case .trialStarted(let label):
      current = label.text
      draw()
    case .request(let report):
      if showsRequests { say(Self.line(report)) }
    case .announcement(let line):
      if showsRequests { say(line) }
    case .trialEnded(let label, let reason):
      done += 1
      if let reason { say("\(label.text): invalid: \(reason)") }
      draw()
    }
  }

  /// Removes the bar.
  func finish() {
    if showsBar { Terminal.printToError("\r\u{1B}[K") }
  }

  private func say(_ text: String) {
    finish()
    Terminal.note(text)
    draw()
  }

  private func draw() {
    guard showsBar, total > 0 else { return }
    let share = Double(done) / Double(total)
    let size = 24
    let filled = Int(share * Double(size))
    let seconds = MonotonicInstant.now.seconds(since: start)
    var line =
      "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: size - filled)
      + "] \(done)/\(total)"
    if done > 0, done < total {
      line += "  " + Format.duration(seconds: seconds / share * (1 - share)) + " left"
    }
    line += "  " + current
    Terminal.printToError("\r" + line.prefix(max(0, Terminal.width - 1)) + "\u{1B}[K")
  }

  /// The line that announces a request.
  ///
  /// `one-tool cold #2  assistant 0.1 text  330 tokens, 269 cached  ttft 12.3 ms  tpot 9.87 ms`
  static func line(_ report: RequestReport) -> String {
    let row = report.row
    var text = "\(report.trial.text)  \(report.session) "
    if let turn = row.turn, let step = row.step {
      text += "\(turn).\(step) \(row.outputKind)"
    } else {
      text += row.role.rawValue
    }
    if row.promptTokens > 0 { text += "  \(row.promptTokens) tokens" }
    if row.promptTokens > 0, row.isCacheReported { text += ", \(row.cachedTokens) cached" }
    if let seconds = report.timeToFirstToken {
      text += "  ttft " + Format.duration(seconds: seconds)
    }
    if let seconds = report.timePerOutputToken {
      text += "  tpot " + Format.duration(seconds: seconds)
    }
    // The hint comes with the trial's end.
    if let error = row.error { text += "  " + error.prefix { $0 != "\n" } }
    return text
  }
}
