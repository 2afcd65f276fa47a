/// A value SQLite stores: what statements bind and rows hold.
package enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// An integer, or null for nil.
  package static func int(_ value: Int?) -> SQLValue {
    value.map { .integer(Int64($0)) } ?? .null
  }

  /// A count of nanoseconds or another unsigned number; beyond Int64 it is stored as the largest.
  package static func unsigned(_ value: UInt64?) -> SQLValue {
    value.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// Text, or null for nil.
  package static func string(_ value: String?) -> SQLValue {
    value.map { .text($0) } ?? .null
  }

  /// A number, or null for nil and for what is no number.
  package static func number(_ value: Double?) -> SQLValue {
    guard let value, value.isFinite else { return .null }
    return .real(value)
  }

  /// 1 or 0, or null for nil.
  package static func bool(_ value: Bool?) -> SQLValue {
    value.map { .integer($0 ? 1 : 0) } ?? .null
  }
}

/// One row of a query's answer; columns are numbered from 0.
package struct SQLRow: Sendable, Hashable {
  package var values: [SQLValue]

  package init(values: [SQLValue]) { self.values = values }

  /// The column as an integer; nil when it is null, missing or no integer.
  package func int(_ column: Int) -> Int? {
    guard column < values.count else { return nil }
    switch values[column] {
    case .integer(let value): return Int(exactly: value)
    case .real(let value): return Int(exactly: value)
    default: return nil
    }
  }

  /// The column as a number; nil when it is null, missing or no number.
  package func double(_ column: Int) -> Double? {
    guard column < values.count else { return nil }
    switch values[column] {
    case .integer(let value): return Double(value)
    case .real(let value): return value
    default: return nil
    }
  }

  /// The column as text; nil when it is null, missing or no text.
  package func string(_ column: Int) -> String? {
    guard column < values.count, case .text(let value) = values[column] else { return nil }
    return value
  }

  /// The column as bytes; nil when it is null, missing or no blob.
  package func bytes(_ column: Int) -> [UInt8]? {
    guard column < values.count, case .blob(let value) = values[column] else { return nil }
    return value
  }

  /// The column as a truth value; nil when it is null, missing or no integer.
  package func bool(_ column: Int) -> Bool? { int(column).map { $0 != 0 } }
}
