package import FMCore

/// One tensor of a model file: its name, shape and where its bytes are.
package struct GGUFTensor: Sendable, Hashable {
  package let name: String
  /// The number that names the storage format in the file.
  package let typeID: UInt32
  /// Sizes with the contiguous dimension first (`ne[0]`), none of them zero; 1 to 4 of them.
  package let dimensions: [Int]
  /// The product of the dimensions.
  package let elementCount: Int
  /// Which of the model's files holds the bytes, from 0.
  package let shard: Int
  /// Where the bytes are in that file.
  package let byteRange: Range<Int>

  /// The storage format; nil for one this project does not compute with.
  package var type: ElementType? { ElementType(ggufID: typeID) }

  /// The storage format's name, also for formats this project does not compute with.
  package var typeName: String { GGUFStorage.named(typeID)?.name ?? "type \(typeID)" }
}

/// The block layout of every storage format the GGUF format names.
///
/// Files in formats this project does not compute with can still be checked and described.
/// Sizes: the format's published type table.
struct GGUFStorage {
  let id: UInt32
  let name: String
  let blockElements: Int
  let blockBytes: Int

  private init(_ id: UInt32, _ name: String, _ blockElements: Int, _ blockBytes: Int) {
    self.id = id
    self.name = name
    self.blockElements = blockElements
    self.blockBytes = blockBytes
  }

  private static let others: [GGUFStorage] = [
    GGUFStorage(9, "Q8_1", 32, 36), GGUFStorage(15, "Q8_K", 256, 292),
    GGUFStorage(16, "IQ2_XXS", 256, 66), GGUFStorage(17, "IQ2_XS", 256, 74),
    GGUFStorage(18, "IQ3_XXS", 256, 98), GGUFStorage(19, "IQ1_S", 256, 50),
    GGUFStorage(21, "IQ3_S", 256, 110), GGUFStorage(22, "IQ2_S", 256, 82),
    GGUFStorage(24, "I8", 1, 1), GGUFStorage(25, "I16", 1, 2), GGUFStorage(26, "I32", 1, 4),
    GGUFStorage(27, "I64", 1, 8), GGUFStorage(28, "F64", 1, 8),
    GGUFStorage(29, "IQ1_M", 256, 56), GGUFStorage(34, "TQ1_0", 256, 54),
    GGUFStorage(35, "TQ2_0", 256, 66), GGUFStorage(40, "NVFP4", 64, 36),
    GGUFStorage(41, "Q1_0", 128, 18),
  ]

  /// The format numbered `id`; nil for numbers that name none.
  static func named(_ id: UInt32) -> GGUFStorage? {
    if let type = ElementType(ggufID: id) {
      return GGUFStorage(id, type.rawValue, type.blockElements, type.blockBytes)
    }
    return others.first { $0.id == id }
  }
}
