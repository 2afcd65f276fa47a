/// What the prefix cache holds when a trial's first measured request is submitted.
///
/// Numbers of different states are never averaged.
package enum CacheState: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing: the cache was cleared.
  case cold
  /// The first session's prefix, and nothing else; every session's, where several follow each other.
  case prewarmed
  /// The prefix and an exchange before: the session is going on.
  case warm
}
