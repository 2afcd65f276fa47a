import FMBackend
import FMBench
import FMCommand

/// Prints a stored run.
enum ReportPrinter {
  /// Writes the table, or the JSON, to standard output; with what it cost in a second table.
  static func print(_ report: RunReport, json: Bool, withCosts: Bool = false) throws {
    if json {
      Terminal.print(try report.json())
      return
    }
    Terminal.print(header(report))
    write(ReportTable(report))
    if withCosts, let costs = ReportTable.costs(report) { write(costs) }
  }

  private static func write(_ content: ReportTable) {
    var table = Table(
      content.headings.enumerated().map { index, heading in
        Table.Column(heading, index < ReportTable.wordColumns ? .left : .right)
      })
    for row in content.rows { table.add(row) }
    Terminal.print("\n" + table.text + "\n")
    for note in content.notes { Terminal.print(note + "\n") }
  }

  /// Writes one report as an object, several as an array.
  static func print(json reports: [RunReport]) throws {
    if reports.count == 1 {
      Terminal.print(try reports[0].json())
    } else {
      Terminal.print("[\n" + (try reports.map { try $0.json() }).joined(separator: ",\n") + "]\n")
    }
  }

  /// `vulkan:0, software GPU, llvmpipe Mesa 22.3.6`, `cpu, CPU, AVX2, 2 threads`.
  private static func device(_ report: RunReport) -> String {
    let words = [
      report.deviceSelector, DeviceDescription.Kind.label(stored: report.deviceKind),
      report.driver, report.instructionSet,
      report.cells.first?.threads.map { $0 == 1 ? "1 thread" : "\($0) threads" },
    ]
    return words.compactMap { $0 }.joined(separator: ", ")
  }

  private static func header(_ report: RunReport) -> String {
    var lines = [
      "run \(report.run) (\(report.uuid.prefix(8))), \(report.started), \(report.status)"
        + (report.label.map { ", \($0)" } ?? ""),
      "\(report.model)" + (report.quantization.map { " (\($0))" } ?? "")
        + " on \(report.device)",
      "device " + device(report),
      "\(report.suite) \(report.suiteSHA.prefix(12)), \(report.style), fmbench \(report.build)"
        + (report.commit.map { " \($0.prefix(12))" } ?? "")
        + (report.isDirty == true ? " with changes" : ""),
    ]
    if let load = report.loadMilliseconds {
      let memory = report.loadMemoryBytes.map { ", \(Format.bytes($0)) beyond the file" } ?? ""
      lines.append("loaded in " + Format.duration(seconds: load / 1000) + memory)
    }
    if let energy = report.energy { lines.append("energy from " + energy.text) }
    if let error = report.error { lines.append("failed: \(error)") }
    if report.build != "release" {
      lines.append("a debug build: its numbers say little about a release build's")
    }
    if let load = report.loadAverage, let cores = report.usableCores, load > 0.5 * Double(cores) {
      lines.append(
        "the machine was busy when the run began: load \(Format.fixed(load, digits: 2)) on "
          + "\(cores) cores")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
