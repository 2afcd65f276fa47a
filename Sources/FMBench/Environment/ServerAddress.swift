import Foundation

/// Addresses of servers, as they may be stored and shown.
package enum ServerAddress {
  /// Whether a word is one.
  package static func isOne(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://")
  }

  /// The address without what could be a secret: user, password, query and fragment.
  ///
  /// What can't be taken apart becomes its scheme alone.
  package static func shown(_ address: String) -> String {
    guard var parts = URLComponents(string: address) else {
      return address.hasPrefix("https") ? "https://…" : "http://…"
    }
    parts.user = nil
    parts.password = nil
    parts.query = nil
    parts.fragment = nil
    return parts.string ?? "http://…"
  }

  /// A word as it may be shown, whether it is an address or not.
  package static func named(_ word: String) -> String { isOne(word) ? shown(word) : word }

  /// A command line whose addresses are ``shown(_:)``, in words of their own or after an option's `=`.
  package static func shown(in words: [String]) -> [String] {
    words.map { word in
      guard word.hasPrefix("-"), let equals = word.firstIndex(of: "=") else { return named(word) }
      let value = String(word[word.index(after: equals)...])
      return word[...equals] + named(value)
    }
  }
}
