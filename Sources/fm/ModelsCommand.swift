import FMCommand
import FMFormats
import FMRuntime

/// `fm models`: what is in the store.
enum ModelsCommand {
  static let command = Command(
    name: "models", summary: "Lists the models that are there.",
    discussion: """
      Models are files in one folder: FM_MODELS, else foundation-models/models below
      $XDG_DATA_HOME (~/.local/share). With --verify every file is read and compared with the
      SHA-256 that was recorded when it was pulled; a difference gives exit code 1.
      """,
    options: [
      .flag("json", help: "Print JSON."),
      .flag("verify", help: "Check every file against its recorded SHA-256."),
    ],
    examples: ["fm models", "fm models --verify"]
  ) { try await run($0) }

  private static func run(_ arguments: Arguments) async throws -> ExitCode {
    let store = ModelStore()
    let listings = try store.models().map { ModelListing($0) }
    var checks: [ModelListing.Check?] = listings.map { _ in nil }
    if arguments.flag("verify") {
      for (index, listing) in listings.enumerated() { checks[index] = verify(listing) }
    }
    let rows = Array(zip(listings, checks))
    if arguments.flag("json") {
      Terminal.print(JSONValue.array(rows.map { json($0, $1) }).prettyText)
    } else if rows.isEmpty {
      Terminal.note("no models in \(store.folder)\nhint: `fm pull` gets a small default model")
    } else {
      Terminal.print(table(rows).text)
    }
    let isSound =
      listings.allSatisfy { $0.problem == nil } && !checks.contains { $0?.isBad == true }
    return isSound ? .success : .failure
  }

  private static func verify(_ listing: ModelListing) -> ModelListing.Check {
    var bar = ProgressBar(listing.name, total: listing.byteCount)
    let check = listing.verify { bar.update($0) }
    bar.finish()
    return check
  }

  private static func table(_ rows: [(ModelListing, ModelListing.Check?)]) -> Table {
    let verifies = rows.contains { $0.1 != nil }
    var columns = [
      Table.Column("name"), Table.Column("architecture"), Table.Column("size", .right),
      Table.Column("quantization"), Table.Column("sha256"),
    ]
    if verifies { columns.append(Table.Column("check")) }
    columns.append(Table.Column("path"))
    var table = Table(columns)
    for (listing, check) in rows {
      var cells = [
        Printable.text(listing.name), Printable.text(listing.architecture ?? "–"),
        Format.bytes(listing.byteCount), listing.quantization ?? "–",
        listing.sha256.map { String($0.prefix(12)) } ?? "–",
      ]
      if verifies { cells.append(check?.text ?? "") }
      cells.append(Printable.text(listing.problem ?? listing.path))
      table.add(cells)
    }
    return table
  }

  private static func json(_ listing: ModelListing, _ check: ModelListing.Check?) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(listing.name)),
      ("path", .string(listing.path)),
      ("architecture", .optional(listing.architecture, JSONValue.string)),
      ("bytes", .integer(listing.byteCount)),
      ("quantization", .optional(listing.quantization, JSONValue.string)),
      ("sha256", .optional(listing.sha256, JSONValue.string)),
      ("source", .optional(listing.source, JSONValue.string)),
      ("problem", .optional(listing.problem, JSONValue.string)),
    ]
    if let check { members.append(("check", .string(check.text))) }
    return .object(members)
  }
}
