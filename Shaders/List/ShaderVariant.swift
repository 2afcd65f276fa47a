/// One SPIR-V module of the library: a source file compiled under a set of macros.
///
/// Macros are for what changes the text of a shader (storage types, unrolled row counts); sizes and
/// flags that a specialization constant can carry are not variants.
package struct ShaderVariant: Sendable, Hashable {
  /// The name pipelines are made by; unique.
  package var name: String
  /// The file in `Shaders/`, without `.comp`.
  package var source: String
  /// Macros, in the order they are defined; a value may be empty.
  package var defines: [Define]

  /// A macro and its text.
  package struct Define: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  /// Describes a variant; without a source of its own the file is the one named like it.
  package init(_ name: String, source: String? = nil, defines: [(String, String)] = []) {
    self.name = name
    self.source = source ?? name
    self.defines = defines.map { Define(name: $0.0, value: $0.1) }
  }
}
