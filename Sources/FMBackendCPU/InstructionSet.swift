internal import CFMKernels

/// The instruction sets the kernels are written for; all give the same bits.
package enum InstructionSet: Int32, Sendable, Hashable, CaseIterable {
  case scalar = 0
  case avx2 = 1
  case avx512 = 2

  /// The widest that this machine runs.
  package static var best: InstructionSet {
    allCases.last { $0.isAvailable } ?? .scalar
  }

  /// Whether this machine runs it.
  package var isAvailable: Bool { fm_isa_available(kernelValue) == 1 }

  /// The name people know it by.
  package var label: String {
    switch self {
    case .scalar: "scalar"
    case .avx2: "AVX2"
    case .avx512: "AVX-512"
    }
  }

  /// The number the C kernels use.
  var kernelValue: fm_isa {
    switch self {
    case .scalar: FM_ISA_SCALAR
    case .avx2: FM_ISA_AVX2
    case .avx512: FM_ISA_AVX512
    }
  }
}
