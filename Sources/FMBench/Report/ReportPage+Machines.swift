import FMBackend

extension ReportPage {
  /// The machines, the builds, and the commands that make the runs again.
  func writeMachines(to page: inout MarkupWriter) {
    section("machines", "Machines and commands", to: &page) { page in
      let runs = Array(report.runs.prefix(Self.mostRuns))
      ReportTableWriter(
        caption: "What the runs depended on; a dash: not known",
        headings: [ReportTableWriter.Heading(text: "", isNumber: false)]
          + runs.map { ReportTableWriter.Heading(text: "run \($0.id)", isNumber: false) },
        rows: Self.facts.map { name, fact in
          [ReportTableWriter.Field(text: name)]
            + runs.map { ReportTableWriter.Field(text: fact($0) ?? "–") }
        },
        canSort: false
      ).write(to: &page)
      if report.runs.count > runs.count {
        page.element(
          "p", ["class": "note"],
          text: "\(Quantity.counted(report.runs.count - runs.count, "more run")) not listed.")
      }
      page.element("h3", text: "Exact commands")
      for run in runs {
        page.element("pre", ["class": "command", "tabindex": "0"]) { page in
          page.element("code", text: CommandLineText.text(run.arguments))
        }
      }
    }
  }

  private typealias Fact = (ReportedRun) -> String?

  private static var facts: [(String, Fact)] { buildFacts + workFacts + machineFacts }

  private static var buildFacts: [(String, Fact)] {
    [
      ("started (UTC)", { $0.started }), ("ended (UTC)", { $0.ended }), ("status", { $0.status }),
      ("label", { $0.label }), ("fmbench", { "\($0.toolVersion), \($0.build)" }),
      (
        "commit",
        { run in
          run.commit.map { $0 + (run.isDirty == true ? ", with changes" : "") }
        }
      ),
      ("commit read from", { $0.commitSource }), ("uuid", { $0.uuid }),
    ]
  }

  private static var workFacts: [(String, Fact)] {
    [
      ("suite", { "\($0.suite), profile \($0.profile)" }), ("suite SHA-256", { $0.suiteSHA }),
      ("level", { $0.style.phrase }), ("seed", { "\($0.seed)" }),
      ("gap scale", { Quantity.number($0.gapScale) }), ("context", { Quantity.count($0.context) }),
      ("model", { $0.model }), ("model SHA-256", { $0.modelSHA }),
      ("quantization", { $0.quantization }), ("weights", { $0.parameters.map(Quantity.count) }),
      ("file", { $0.modelBytes.map(Quantity.bytes) }),
      ("load time", { $0.loadMilliseconds.map(Quantity.milliseconds) }),
      ("memory beyond the file", { $0.loadMemoryBytes.map(Quantity.bytes) }),
      ("cache type", { $0.kvType }),
    ]
  }

  private static var machineFacts: [(String, Fact)] {
    [
      ("device", { $0.device.map { "\($0.selector): \($0.name)" } }),
      ("kind", { DeviceDescription.Kind.label(stored: $0.device?.kind) }),
      ("driver", { $0.machine.driver }), ("Vulkan", { $0.machine.vulkanVersion }),
      ("instruction set", { $0.machine.instructionSet }),
      ("threads", { $0.threads.map { "\($0)" } }), ("processor", { $0.machine.cpu }),
      ("processor flags", { $0.machine.cpuFlags }), ("cores", { cores($0.machine) }),
      ("governor", { $0.machine.governor }),
      ("frequency", { $0.machine.frequencyMegahertz.map { Quantity.number($0) + " MHz" } }),
      ("memory", { $0.machine.memoryBytes.map(Quantity.bytes) }),
      ("memory free", { $0.machine.availableMemoryBytes.map(Quantity.bytes) }),
      ("swap used", { $0.machine.usedSwapBytes.map(Quantity.bytes) }),
      ("system", { $0.machine.operatingSystem }), ("kernel", { $0.machine.kernel }),
      ("container", { $0.machine.container }),
      ("virtual machine", { $0.machine.isVirtual.map { $0 ? "yes" : "no" } }),
      ("power", { $0.machine.powerSource }), ("energy", { $0.energy?.text }),
      ("load, start and end", { startAndEnd($0.machine.loads, "") }),
      ("temperature, start and end", { startAndEnd($0.machine.temperatures, " °C") }),
      ("machine", { $0.machine.host }),
    ]
  }

  private static func cores(_ machine: ReportedMachine) -> String? {
    let parts = [
      machine.usableCores.map { "\($0) usable" }, machine.onlineCores.map { "\($0) online" },
      machine.physicalCores.map { "\($0) physical" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func startAndEnd(_ values: [Double?], _ unit: String) -> String? {
    guard values.contains(where: { $0 != nil }) else { return nil }
    return values.map { $0.map { Quantity.number($0) + unit } ?? "–" }.joined(separator: ", ")
  }
}

/// A command line as a shell takes it.
enum CommandLineText {
  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%".unicodeScalars)

  /// The words with single quotes where a shell needs them.
  static func text(_ words: [String]) -> String {
    words.map { word in
      if !word.isEmpty, word.unicodeScalars.allSatisfy(plain.contains) { return word }
      return "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
    }.joined(separator: " ")
  }
}
