import Foundation

/// Replaces what looks private in recorded texts: addresses, phone numbers, account numbers, secrets.
///
/// The rules err on the side of replacing. They find forms, not meanings: names and what people say of
/// themselves stay, so a recording with content is private even when it is redacted.
package struct TraceRedactor: Sendable {
  /// What a match looks like.
  package enum Rule: String, Sendable, CaseIterable {
    /// An e-mail address.
    case email
    /// Digits in groups, or after a plus sign.
    case phone
    /// Nine digits and more: accounts, cards, identity numbers.
    case digits
    /// Tokens, keys, and what follows `password=` and its kin.
    case key
    /// What a pattern of the user's found.
    case pattern

    /// What stands in place of a match.
    package var replacement: String { "[\(rawValue)]" }
  }

  private let patterns: [NSRegularExpression]

  /// The built-in rules, and regular expressions (ICU's syntax) beside them.
  ///
  /// - Throws: ``TraceError/invalidPattern(_:reason:)``.
  package init(patterns: [String] = []) throws(TraceError) {
    var compiled: [NSRegularExpression] = []
    for pattern in patterns {
      do {
        compiled.append(try NSRegularExpression(pattern: pattern))
      } catch {
        throw .invalidPattern(pattern, reason: "\(error.localizedDescription)")
      }
    }
    self.patterns = compiled
  }

  /// The built-in rules alone.
  package static let builtIn = TraceRedactor(compiled: [])

  private init(compiled: [NSRegularExpression]) { patterns = compiled }

  /// The text with every match replaced by its rule's name in brackets.
  package func redact(_ text: String) -> String {
    var text = text
    for pattern in patterns {
      text = pattern.stringByReplacingMatches(
        in: text, range: NSRange(location: 0, length: text.utf16.count),
        withTemplate: Rule.pattern.replacement)
    }
    let bytes = Array(text.utf8)
    let matches = PrivateTextScanner.matches(in: bytes)
    guard !matches.isEmpty else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var done = 0
    for match in matches {
      result += bytes[done..<match.range.lowerBound]
      result += Array(match.rule.replacement.utf8)
      done = match.range.upperBound
    }
    result += bytes[done...]
    return String(decoding: result, as: UTF8.self)
  }

  /// How often each rule finds something, in the order of ``Rule``; what was redacted before counts too.
  package func counts(in text: String) -> [(rule: Rule, count: Int)] {
    let bytes = Array(text.utf8)
    let matches = PrivateTextScanner.matches(in: bytes)
    return Rule.allCases.compactMap { rule in
      var count = matches.count { $0.rule == rule } + text.occurrences(of: rule.replacement)
      if rule == .pattern {
        for pattern in patterns {
          count += pattern.numberOfMatches(
            in: text, range: NSRange(location: 0, length: text.utf16.count))
        }
      }
      return count > 0 ? (rule, count) : nil
    }
  }
}

extension String {
  fileprivate func occurrences(of part: String) -> Int {
    components(separatedBy: part).count - 1
  }
}
