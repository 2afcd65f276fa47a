import FMCore

/// How a storage format's blocks are laid out on a device: in up to three planes of their bytes.
///
/// A plane is the same byte ranges of every block, block after block. Planes exist so that a shader
/// reads whole words: a Q4_0 block of 18 bytes becomes 16 bytes of nibbles in one plane and two of
/// scale in another. Formats whose blocks are whole words stay as they are. `Shaders/include`
/// reads what is described here.
struct WeightLayout: Sendable, Hashable {
  /// The byte ranges of a block that form each plane, in order.
  let planes: [[Range<Int>]]

  /// Columns that one decoding step of a shader gives; rows are padded to whole units.
  static let unitColumns = 32

  /// The layout of a format.
  init(_ type: ElementType) {
    switch type {
    case .f32, .f16, .bf16: self.init([[0..<type.blockBytes]])
    case .q4_0, .iq4_NL: self.init([[2..<18], [0..<2]])
    case .q4_1: self.init([[4..<20], [0..<4]])
    case .q5_0: self.init([[6..<22], [2..<6], [0..<2]])
    case .q5_1: self.init([[8..<24], [4..<8], [0..<4]])
    case .q8_0: self.init([[2..<34], [0..<2]])
    case .mxfp4: self.init([[1..<17], [0..<1]])
    case .q3_K: self.init([[0..<108], [108..<110]])
    case .q6_K: self.init([[0..<208], [208..<210]])
    case .q2_K, .q4_K, .q5_K, .iq4_XS: self.init([[0..<type.blockBytes]])
    }
  }

  private init(_ planes: [[Range<Int>]]) { self.planes = planes }

  /// Bytes of one block in a plane.
  func blockBytes(ofPlane plane: Int) -> Int { planes[plane].reduce(0) { $0 + $1.count } }

  /// Whether the plane is the whole block, so that a tensor's bytes can be used as they are.
  func isWhole(_ plane: Int) -> Bool { planes.count == 1 && planes[plane].count == 1 }
}

extension ElementType {
  /// The name of the shader variant suffix: `q4_0`, `iq4_xs`.
  var shaderSuffix: String { rawValue.lowercased() }

  /// Units of ``WeightLayout/unitColumns`` columns in a row of `columns`.
  func units(columns: Int) -> Int {
    (columns + WeightLayout.unitColumns - 1) / WeightLayout.unitColumns
  }
}
