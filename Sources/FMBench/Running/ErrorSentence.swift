import Foundation
import FoundationModels

/// An error in the words that it has for people, with its hint: what is shown and stored of it.
///
/// Errors of sessions and servers have theirs in `LocalizedError`; described as they are they would show
/// the names of types.
package struct ErrorSentence: Error, Hashable, CustomStringConvertible {
  package let description: String

  /// - Parameter hint: stands in place of the error's own.
  package init(_ error: any Error, hint: String? = nil) {
    switch error {
    case is CancellationError: description = "it was cancelled"
    case let error as DecodingError: description = Self.text(error)
    case let error as LanguageModelSession.ToolCallError:
      description = "the tool '\(error.tool.name)' failed: \(ErrorSentence(error.underlyingError))"
    case let error as any LocalizedError:
      let text = error.errorDescription ?? String(describing: error)
      let own = hint ?? error.recoverySuggestion.map(Self.asHint)
      description = own.map { "\(text)\nhint: \($0)" } ?? text
    case is any CustomNSError: description = error.localizedDescription
    default: description = String(describing: error)
    }
  }

  /// A suggestion as hints are written: it begins small and has no full stop.
  private static func asHint(_ suggestion: String) -> String {
    let text = suggestion.hasSuffix(".") ? String(suggestion.dropLast()) : suggestion
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  private static func text(_ error: DecodingError) -> String {
    func place(_ context: DecodingError.Context) -> String {
      let names = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
      return names.isEmpty ? "it" : "'\(names.joined(separator: "."))'"
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(place(context)) has no '\(key.stringValue)'"
    case .typeMismatch(_, let context): return "\(place(context)) is of another kind"
    case .valueNotFound(_, let context): return "\(place(context)) is null"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "it is no JSON" : "\(place(context)) has no such value"
    @unknown default: return "it has another form"
    }
  }
}
