import FMFormats

/// One model of the store as `fm models` shows it, sound or not.
package struct ModelListing: Sendable {
  package let name: String
  package let path: String
  package let architecture: String?
  package let byteCount: Int
  package let quantization: String?
  /// The recorded digest of the file (a split model's first one); nil where none was recorded.
  package let sha256: String?
  /// Where it came from, where that was recorded.
  package let source: String?
  /// Why the file can't be used, in one line; nil for a sound one.
  package let problem: String?
  /// All files of a split model.
  private let paths: [String]

  /// What comparing a model with its record came to.
  package enum Check: Sendable, Hashable {
    case matches
    case noRecord
    case differs
    case unreadable(String)

    /// One or a few words for a table.
    package var text: String {
      switch self {
      case .matches: "ok"
      case .noRecord: "no record"
      case .differs: "DIFFERS"
      case .unreadable(let reason): "unreadable: \(reason)"
      }
    }

    /// Whether something is wrong; a missing record is not.
    package var isBad: Bool {
      switch self {
      case .matches, .noRecord: false
      case .differs, .unreadable: true
      }
    }
  }

  /// Opens the model's file and reads its record.
  package init(_ model: StoredModel) {
    name = model.name
    path = model.path
    let record = ModelRecord(ofFileAt: model.path)
    sha256 = record?.sha256
    source = record?.source
    do {
      let inspection = ModelInspection(try GGUFFile(path: model.path))
      architecture = inspection.architecture
      byteCount = inspection.byteCount
      quantization = inspection.quantization
      paths = inspection.paths
      problem = nil
    } catch {
      architecture = nil
      byteCount = ModelPullFiles.size(model.path) ?? 0
      quantization = nil
      paths = [model.path]
      problem = error.message
    }
  }

  /// Reads all of the model's bytes and compares each file with its record.
  ///
  /// `progress` gets the bytes read so far.
  package func verify(progress: (Int) -> Void = { _ in }) -> Check {
    if let problem { return .unreadable(problem) }
    var done = 0
    var isRecorded = true
    for path in paths {
      guard let record = ModelRecord(ofFileAt: path) else {
        isRecorded = false
        continue
      }
      do {
        let size = ModelPullFiles.size(path) ?? 0
        let found = try ModelPullFiles.sha256(path) { progress(done + $0) }
        done += size
        guard found == record.sha256, size == record.byteCount else { return .differs }
      } catch {
        return .unreadable(error.description)
      }
    }
    return isRecorded ? .matches : .noRecord
  }
}
