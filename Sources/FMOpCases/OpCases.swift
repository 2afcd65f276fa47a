import FMCore

/// The table of op cases: shapes around every SIMD width, every type, ordinary and hard inputs.
package enum OpCases {
  /// Every case, in a fixed order.
  package static func all() -> [OpCase] {
    ElementType.allCases.flatMap { matmul($0) } + embedding() + norm() + elementwise() + rope()
      + attention() + outputs()
  }

  /// Row counts around the tiles kernels work in.
  static let rowCounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 64]

  /// The error allowed where all arithmetic is `f32` in another order.
  static let floatBound = 1e-9

  /// The error allowed where activations are quantized to twelve bits in blocks of 32.
  ///
  /// The CPU's greatest is 7.9e-7, with outliers in the input.
  static let quantizedBound = 2e-6
}
