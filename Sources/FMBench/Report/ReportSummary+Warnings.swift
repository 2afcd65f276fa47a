import FMBackend

extension ReportSummary {
  /// What speaks against the numbers, or limits them: a sentence each.
  static func warnings(_ report: BenchReport) -> [String] {
    var warnings: [String] = []
    warnings += Self.grouped(report.runs.flatMap(Self.warnings))
    warnings += Self.warnings(report.cells)
    if report.otherRuns > 0 {
      warnings.append(
        "\(Quantity.counted(report.otherRuns, "other run")) of the database "
          + "\(report.otherRuns == 1 ? "is" : "are") not shown.")
    }
    return warnings
  }

  /// What is said of a run; `fact` is what differs between runs of which the same is said.
  private struct RunWarning {
    var run: Int
    var text: String
    var fact = ""
  }

  /// A sentence for all runs of which the same is said.
  private static func grouped(_ warnings: [RunWarning]) -> [String] {
    unique(warnings.map(\.text)).map { text in
      let same = warnings.filter { $0.text == text }
      let runs = same.prefix(12).map { String($0.run) }.joined(separator: ", ")
      let facts = unique(same.map(\.fact).filter { !$0.isEmpty }).prefix(6)
      return (same.count == 1 ? "Run " : "Runs ") + runs + (same.count > 12 ? " and more" : "")
        + ": \(text)" + (facts.isEmpty ? "" : ": " + facts.joined(separator: "; ")) + "."
    }
  }

  private static func warnings(_ run: ReportedRun) -> [RunWarning] {
    var warnings: [RunWarning] = []
    func warn(_ text: String, _ fact: String = "") {
      warnings.append(RunWarning(run: run.id, text: text, fact: fact))
    }
    switch run.status {
    case "finished": break
    case "running": warn("did not end; still running, or killed")
    case RunStatus.stopped: warn("did not end: it was killed, and what it announced is kept")
    default: warn(run.status, run.error ?? "")
    }
    if run.build != "release" {
      warn("a \(run.build) build, whose numbers say little about a release build's")
    }
    if run.isDirty == true { warn("built from a tree with changes that were not committed") }
    if run.commit == nil { warn("built from a commit that is not known") }
    if let load = run.machine.loads.first ?? nil, let cores = run.machine.usableCores,
      load > 0.5 * Double(cores)
    {
      warn(
        "began on a busy machine",
        "a load of \(Quantity.number(load)) on \(Quantity.counted(cores, "core"))")
    }
    if let swap = run.machine.usedSwapBytes, swap > 0 {
      warn("began with memory swapped out", Quantity.bytes(swap))
    }
    if run.device?.kind == DeviceDescription.Kind.softwareGPU.rawValue {
      warn("a software GPU, a processor playing one: its times say nothing of hardware")
    }
    return warnings
  }

  private static func warnings(_ cells: [ReportedCell]) -> [String] {
    var warnings: [String] = []
    let invalid = cells.reduce(0) { $0 + $1.invalidTrials }
    if invalid > 0 {
      warnings.append(
        "\(Quantity.counted(invalid, "trial")) \(invalid == 1 ? "does" : "do") not count; the "
          + "reasons are below.")
    }
    let unfinished = cells.reduce(0) { $0 + $1.unfinishedTrials }
    if unfinished > 0 {
      warnings.append("\(Quantity.counted(unfinished, "trial")) began and did not end.")
    }
    let small = cells.count { (1..<5).contains($0.trials.count) }
    if small > 0 {
      warnings.append(
        "\(Quantity.counted(small, "cell")) \(small == 1 ? "has" : "have") fewer than five valid "
          + "trials: the intervals are rough.")
    }
    let poor = cells.count { TrialQuality($0.values(.taskWall)) == .poor }
    if poor > 0 {
      warnings.append(
        "\(Quantity.counted(poor, "cell")) \(poor == 1 ? "varies" : "vary") by more than "
          + "20 % from trial to trial.")
    }
    return warnings
  }
}
