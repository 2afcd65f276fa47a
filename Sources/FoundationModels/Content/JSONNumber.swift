import Foundation

/// A number as JSON spells it, so that no digit is lost before a type is asked for.
struct JSONNumber: Sendable, Equatable {
  /// The text, a valid JSON number.
  let literal: String

  init(literal: String) { self.literal = literal }
  init(_ value: Int) { literal = String(value) }

  /// A finite double; a whole one is written without a fraction.
  init(_ value: Double) {
    if let whole = Int(exactly: value), abs(value) < 1e15 {
      literal = String(whole)
    } else {
      literal = value.description
    }
  }

  var double: Double { Double(literal) ?? .nan }

  /// The value as an integer; nil when it has a fraction or does not fit.
  var integer: Int? { Int(literal) ?? Int(exactly: double) }

  static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.literal == right.literal { return true }
    if let left = Int(left.literal), let right = Int(right.literal) { return left == right }
    return left.double == right.double
  }
}
