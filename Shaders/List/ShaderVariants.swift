extension ShaderVariant {
  /// Every variant the package is built with, the one list of them.
  package static let all: [ShaderVariant] = [
    ShaderVariant("add"),
    ShaderVariant("rms_norm"),
  ]
}
