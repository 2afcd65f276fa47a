import FMBackend
package import FMRuntime
import FMCore
import FMEngine
import Foundation

extension RunSubject {
  /// Describes a loaded model for the record.
  ///
  /// Reads the digest in the record beside the file where that is newer than the file and names its
  /// size; otherwise reads the whole file. Of a split model it is the first file's.
  package init(_ loaded: LoadedModel, options: LoadOptions) {
    let path = loaded.description.path
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = file.hasSuffix(".gguf") ? String(file.dropLast(5)) : file
    self.init(
      model: ModelRow(
        sha256: Self.digest(ofFileAt: path), name: name,
        architecture: loaded.description.architecture,
        quantization: loaded.description.quantization,
        parameters: loaded.description.parameters, bytes: loaded.description.fileBytes),
      device: loaded.device,
      threads: Self.threads(loaded.device.details) ?? options.threads,
      maximumRows: options.engine.prefillChunk, kvType: options.kvElement.rawValue,
      loadNanoseconds: UInt64(max(0, loaded.loadSeconds) * 1e9),
      memoryBytes: loaded.memoryBytes)
  }

  /// Describes a server for the record: `model` is the file that the server is said to have loaded.
  ///
  /// `served` is what the server calls its model.
  package init(endpoint: String, served: String, model: StoredModel) {
    let bytes = try? FileManager.default.attributesOfItem(atPath: model.path)[.size] as? Int
    self.init(
      model: ModelRow(
        sha256: Self.digest(ofFileAt: model.path), name: model.name, bytes: bytes ?? nil),
      device: DeviceDescription(
        selector: endpoint, name: "\(served) at \(endpoint)", kind: .server, details: []))
  }

  /// The number in a detail like `2 threads`; nil when the device names none.
  static func threads(_ details: [String]) -> Int? {
    for detail in details {
      let words = detail.split(separator: " ")
      if words.count == 2, words[1] == "threads" || words[1] == "thread" { return Int(words[0]) }
    }
    return nil
  }

  /// The recorded digest, or the one computed now; 64 zeros for a file that cannot be read.
  static func digest(ofFileAt path: String) -> String {
    let files = FileManager.default
    let attributes = try? files.attributesOfItem(atPath: path)
    let record = try? files.attributesOfItem(atPath: ModelRecord.path(forFileAt: path))
    if let known = ModelRecord(ofFileAt: path), known.byteCount == attributes?[.size] as? Int,
      let changed = attributes?[.modificationDate] as? Date,
      let recorded = record?[.modificationDate] as? Date, recorded >= changed
    {
      return known.sha256
    }
    guard let file = FileHandle(forReadingAtPath: path) else {
      return String(repeating: "0", count: 64)
    }
    defer { try? file.close() }
    var hash = SHA256()
    while let part = try? file.read(upToCount: 1 << 20), !part.isEmpty {
      part.withUnsafeBytes { hash.update($0) }
    }
    return hash.finish()
  }
}
