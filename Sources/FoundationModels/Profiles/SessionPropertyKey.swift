/// Names a value that the parts of a session share; made by `@SessionPropertyEntry`.
public protocol SessionPropertyKey {
  /// The value's type.
  associatedtype Value: Sendable

  /// The value where none was set.
  static var defaultValue: Value { get }
}
