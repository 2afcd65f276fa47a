extension ShaderVariant {
  /// Every variant the package is built with, the one list of them.
  package static let all: [ShaderVariant] =
    weightFormats.flatMap { format in
      [
        weighted("matvec", format), weighted("matmul", format),
        weighted("matmul", format, suffix: "half", defines: [("HALF_TILES", "1")]),
        weighted("embedding", format),
      ]
    }
    + quantizedFormats.flatMap { format in
      ["matvec", "matmul"].map { source in
        weighted(source, format, suffix: "dot", defines: [("INTEGER_DOT", "1")])
      }
    } + [
      ShaderVariant("quantize_rows"),
      ShaderVariant("norm"),
      ShaderVariant("elementwise"),
      ShaderVariant("rope_kv"),
      ShaderVariant("attention_chunk"),
      ShaderVariant("attention_merge"),
      ShaderVariant("attention_tile"),
      ShaderVariant("candidates_chunk"),
      ShaderVariant("candidates_merge"),
      ShaderVariant("peak_copy"),
      ShaderVariant("peak_fma"),
    ]

  /// The storage formats of weights, by GGUF's names.
  private static let weightFormats = ["F32", "F16", "BF16"] + quantizedFormats

  private static let quantizedFormats = [
    "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K",
    "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4",
  ]

  /// A source compiled for weights of one format: `matvec_q4_0`.
  private static func weighted(
    _ source: String, _ format: String, suffix: String? = nil, defines: [(String, String)] = []
  ) -> ShaderVariant {
    ShaderVariant(
      ([source, format.lowercased()] + (suffix.map { [$0] } ?? [])).joined(separator: "_"),
      source: source, defines: [("WEIGHT", "TYPE_" + format)] + defines)
  }
}
