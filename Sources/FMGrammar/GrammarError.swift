/// Why a schema or a pattern cannot be enforced.
package enum GrammarError: Error, Equatable, Sendable {
  /// The text is not JSON, or not a schema; `path` is a JSON pointer, `offset` counts bytes.
  case invalidSchema(path: String, offset: Int?, reason: String)
  /// A regular expression that cannot be read; `offset` counts bytes.
  case invalidPattern(pattern: String, offset: Int, reason: String)
  /// What is asked for can be said, but not enforced exactly.
  case unsupported(path: String, keyword: String, reason: String)
  /// Nothing at all satisfies the schema or the pattern.
  case empty(path: String, reason: String)
  /// A bound on work was reached.
  case limitExceeded(GrammarLimit, limit: Int)
}

/// The bounds compiling can run into.
package enum GrammarLimit: String, Sendable, Equatable {
  case sourceBytes, depth, states, rules, steps, choices, repetitions
}

extension GrammarError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidSchema(let path, let offset, let reason):
      "schema, \(Self.place(path))\(offset.map { ", byte \($0)" } ?? ""): \(reason)"
    case .invalidPattern(let pattern, let offset, let reason):
      "pattern '\(Self.shortened(pattern))', byte \(offset): \(reason)"
    case .unsupported(let path, let keyword, let reason):
      "schema, \(Self.place(path)): '\(keyword)' cannot be enforced here: \(reason)"
    case .empty(let path, let reason):
      "schema, \(Self.place(path)): no value can satisfy it: \(reason)"
    case .limitExceeded(let which, let limit):
      "the schema or pattern reached the limit of \(limit) for \(which.rawValue)"
    }
  }

  private static func place(_ path: String) -> String { path.isEmpty ? "root" : path }

  private static func shortened(_ text: String) -> String {
    text.unicodeScalars.count <= 80
      ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(77))) + "..."
  }
}
