import FMBackend

extension ReportSummary {
  /// What speaks against the numbers, or limits them: a sentence each.
  static func warnings(_ report: BenchReport) -> [String] {
    var warnings: [String] = []
    for run in report.runs { warnings += Self.warnings(run) }
    warnings += Self.warnings(report.cells)
    if report.otherRuns > 0 {
      warnings.append(
        "\(Quantity.counted(report.otherRuns, "other run")) of the database "
          + "\(report.otherRuns == 1 ? "is" : "are") not shown.")
    }
    return warnings
  }

  private static func warnings(_ run: ReportedRun) -> [String] {
    var warnings: [String] = []
    func warn(_ text: String) { warnings.append("Run \(run.id) " + text) }
    switch run.status {
    case "finished": break
    case "running": warn("did not end: it is still running, or it was killed.")
    default: warn("\(run.status)\(run.error.map { ": \($0)" } ?? "").")
    }
    if run.build != "release" {
      warn("is of a \(run.build) build: its numbers say little about a release build's.")
    }
    if run.isDirty == true { warn("was built from a tree with changes that were not committed.") }
    if run.commit == nil { warn("does not know the commit it was built from.") }
    if let load = run.machine.loads.first ?? nil, let cores = run.machine.usableCores,
      load > 0.5 * Double(cores)
    {
      warn(
        "began on a busy machine: a load of \(Quantity.number(load)) on "
          + "\(Quantity.counted(cores, "core")).")
    }
    if let swap = run.machine.usedSwapBytes, swap > 0 {
      warn("began with \(Quantity.bytes(swap)) swapped out.")
    }
    if run.device?.kind == DeviceDescription.Kind.softwareGPU.rawValue {
      warn("is of a software GPU, a processor playing one: its times say nothing of hardware.")
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
    let erratic = cells.count { Steadiness($0.values(.taskWall)) == .erratic }
    if erratic > 0 {
      warnings.append(
        "\(Quantity.counted(erratic, "cell")) \(erratic == 1 ? "varies" : "vary") by more than "
          + "20 % from trial to trial.")
    }
    return warnings
  }
}
