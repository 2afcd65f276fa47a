/// Bounds on what a chat template, which is untrusted code in a model file, may use.
///
/// The defaults are far above what any published template needs for a prompt of a million tokens'
/// text, and low enough that a hostile template ends within two seconds.
package struct TemplateLimits: Sendable, Hashable {
  /// Statements and expressions evaluated, plus one per list element and per 32 bytes handled.
  package var steps: Int = 4_000_000
  /// Nesting of expressions and blocks in the source, as the parser counts it.
  package var sourceDepth: Int = 96
  /// Nesting of evaluation, through macro calls and recursive loops.
  package var callDepth: Int = 320
  /// Bytes of the rendered prompt.
  package var outputBytes: Int = 32 << 20
  /// Bytes of one string.
  package var textBytes: Int = 32 << 20
  /// Bytes of all strings made during one rendering.
  package var allocatedBytes: Int = 256 << 20
  /// Elements of one list, and of all values that live until the rendering ends.
  package var elements: Int = 100_000
  /// Bytes of the template's source.
  package var sourceBytes: Int = 1 << 20

  package init() {}
}
