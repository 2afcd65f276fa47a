import Foundation

/// Identifies a generated value while its response streams in.
///
/// Stable from snapshot to snapshot of one response, different in every response.
public struct GenerationID: Sendable, Hashable {
  private let value: UUID

  /// A new identity, equal to no other.
  public init() { value = UUID() }
}
