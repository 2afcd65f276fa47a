/// The storage formats a tensor's elements can have, in GGUF's naming.
///
/// Quantized formats store blocks of `blockElements` consecutive elements of a row in `blockBytes` bytes.
/// Layouts follow the GGUF/ggml format description; see `Documentation/FORMATS.md`.
package enum ElementType: String, Sendable, CaseIterable, Hashable, Codable {
  case f32 = "F32"
  case f16 = "F16"
  case bf16 = "BF16"
  case q4_0 = "Q4_0"
  case q4_1 = "Q4_1"
  case q5_0 = "Q5_0"
  case q5_1 = "Q5_1"
  case q8_0 = "Q8_0"
  case q2_K = "Q2_K"
  case q3_K = "Q3_K"
  case q4_K = "Q4_K"
  case q5_K = "Q5_K"
  case q6_K = "Q6_K"
  case iq4_NL = "IQ4_NL"
  case iq4_XS = "IQ4_XS"
  case mxfp4 = "MXFP4"

  /// The number that names the format in a GGUF tensor header.
  package var ggufID: UInt32 {
    switch self {
    case .f32: 0
    case .f16: 1
    case .q4_0: 2
    case .q4_1: 3
    case .q5_0: 6
    case .q5_1: 7
    case .q8_0: 8
    case .q2_K: 10
    case .q3_K: 11
    case .q4_K: 12
    case .q5_K: 13
    case .q6_K: 14
    case .iq4_NL: 20
    case .iq4_XS: 23
    case .bf16: 30
    case .mxfp4: 39
    }
  }

  /// Finds the format a GGUF tensor header names; nil for formats this project does not read.
  package init?(ggufID: UInt32) {
    guard let match = Self.allCases.first(where: { $0.ggufID == ggufID }) else { return nil }
    self = match
  }

  /// Elements per block; 1 for the plain float formats.
  ///
  /// A row's length is a multiple of it.
  package var blockElements: Int {
    switch self {
    case .f32, .f16, .bf16: 1
    case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4: 32
    case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq4_XS: 256
    }
  }

  /// Bytes per block.
  package var blockBytes: Int {
    switch self {
    case .f32: 4
    case .f16, .bf16: 2
    case .q4_0, .iq4_NL: 18
    case .q4_1: 20
    case .q5_0: 22
    case .q5_1: 24
    case .q8_0: 34
    case .q2_K: 84
    case .q3_K: 110
    case .q4_K: 144
    case .q5_K: 176
    case .q6_K: 210
    case .iq4_XS: 136
    case .mxfp4: 17
    }
  }

  /// Whether elements are grouped in quantized blocks.
  package var isQuantized: Bool { blockElements > 1 }

  /// Bytes of `count` consecutive elements of one row.
  ///
  /// Returns nil when `count` is negative, not a whole number of blocks, or the size overflows.
  package func byteCount(elements count: Int) -> Int? {
    guard count >= 0, count % blockElements == 0 else { return nil }
    let (bytes, overflow) = (count / blockElements).multipliedReportingOverflow(by: blockBytes)
    return overflow ? nil : bytes
  }
}
