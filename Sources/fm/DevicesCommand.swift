import FMCommand
import FMRuntime

/// `fm devices`: what models can run on.
enum DevicesCommand {
  static let command = Command(
    name: "devices", summary: "Lists the devices that models can run on.",
    discussion: """
      The selector is what --device takes; `vulkan` alone is the first GPU of the list that works.
      Software devices run on the processor and are only taken by their number. --diagnose says
      what was looked for when a GPU is missing.
      """,
    options: [
      .flag("diagnose", help: "Say what was looked for and what to do."),
      .flag("self-test", help: "Run the table of op cases on every GPU that works."),
      .value(
        "device", "DEVICE", completion: ModelOptions.device.completion,
        help: "The device to test, the CPU and software devices too."),
      .flag("json", help: "Print JSON."),
    ],
    examples: ["fm devices", "fm devices --diagnose", "fm devices --self-test --device vulkan:0"]
  ) { try run($0) }

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    let vulkan = Devices.vulkanDevices()
    let listings = Devices.listings(vulkan)
    if arguments.flag("self-test") {
      let found = listings.filter { $0.problem == nil && !$0.isSoftware && $0.selector != "cpu" }
      let selectors = arguments.string("device").map { [$0] } ?? found.map(\.selector)
      return try SelfTestCommand.run(selectors, json: arguments.flag("json"))
    }
    let diagnosis =
      arguments.flag("diagnose")
      ? DeviceDiagnosis(vulkan: vulkan, messages: Devices.vulkanMessages()) : nil
    if arguments.flag("json") {
      var members: [(String, JSONValue)] = [("devices", .array(listings.map(json)))]
      if let diagnosis { members.append(("diagnosis", json(diagnosis))) }
      Terminal.print(JSONValue.object(members).prettyText)
      return .success
    }
    Terminal.print(table(listings).text)
    if let diagnosis {
      Terminal.print(text(diagnosis))
    } else if case .failure(let error) = vulkan {
      Terminal.note(Printable.text("\(error)"))
    }
    return .success
  }

  private static func table(_ listings: [DeviceListing]) -> Table {
    var table = Table([
      .init("selector"), .init("name"), .init("kind"), .init("memory", .right), .init("driver"),
      .init("use"),
    ])
    for listing in listings {
      table.add([
        listing.selector, Printable.text(listing.name), listing.kindText,
        listing.memoryBytes.map(Format.bytes) ?? "–",
        listing.driver.isEmpty ? "–" : Printable.text(listing.driver),
        listing.problem.map { Printable.text("no: \($0)") }
          ?? (listing.isDefault ? "default" : listing.isSoftware ? "by number" : "yes"),
      ])
    }
    return table
  }

  private static func text(_ diagnosis: DeviceDiagnosis) -> String {
    var lines = ["", "Vulkan: \(diagnosis.loader)"]
    func section(_ title: String, _ entries: [String], none: String) {
      lines.append("\(title):")
      lines += (entries.isEmpty ? [none] : entries).map { "  \($0)" }
    }
    section("Environment", diagnosis.variables, none: "none of the loader's variables is set")
    section("Driver manifests", diagnosis.manifests.map(\.text), none: "none")
    if diagnosis.manifests.isEmpty {
      section("Looked for manifests in", diagnosis.manifestFolders, none: "no folder")
    }
    section(
      "Device files",
      diagnosis.nodes.map { $0.path + ($0.isAccessible ? "" : " (this user may not open it)") },
      none: "neither /dev/nvidia* nor /dev/dri/renderD*")
    if !diagnosis.messages.isEmpty {
      section("The loader and drivers said", diagnosis.messages, none: "nothing")
    }
    section("Next steps", diagnosis.nextSteps, none: "none: a GPU is there and works")
    return lines.map { Printable.text($0) + "\n" }.joined()
  }

  private static func json(_ listing: DeviceListing) -> JSONValue {
    .object([
      ("selector", .string(listing.selector)),
      ("name", .string(listing.name)),
      ("kind", .string(listing.kindName)),
      ("memory_bytes", .optional(listing.memoryBytes, JSONValue.integer)),
      ("driver", .string(listing.driver)),
      ("pci", .optional(listing.pciAddress, JSONValue.string)),
      ("details", .array(listing.details.map(JSONValue.string))),
      ("default", .bool(listing.isDefault)),
      ("problem", .optional(listing.problem, JSONValue.string)),
    ])
  }

  private static func json(_ diagnosis: DeviceDiagnosis) -> JSONValue {
    .object([
      ("vulkan", .string(diagnosis.loader)),
      ("environment", .array(diagnosis.variables.map(JSONValue.string))),
      ("manifest_folders", .array(diagnosis.manifestFolders.map(JSONValue.string))),
      (
        "manifests",
        .array(
          diagnosis.manifests.map {
            .object([
              ("path", .string($0.path)), ("library", .optional($0.library, JSONValue.string)),
              ("software", .bool($0.isSoftware)),
            ])
          })
      ),
      (
        "device_files",
        .array(
          diagnosis.nodes.map {
            .object([("path", .string($0.path)), ("accessible", .bool($0.isAccessible))])
          })
      ),
      ("messages", .array(diagnosis.messages.map(JSONValue.string))),
      ("next_steps", .array(diagnosis.nextSteps.map(JSONValue.string))),
    ])
  }
}

extension DeviceDiagnosis.Manifest {
  fileprivate var text: String {
    guard let library else { return "\(path): cannot be read as a manifest" }
    return "\(path): \(library)" + (isSoftware ? " (software)" : "")
  }
}
