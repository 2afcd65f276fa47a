/// The type of a metadata value, by the number that names it in a file.
package enum GGUFValueType: UInt32, Sendable, Hashable, CaseIterable {
  case uint8 = 0
  case int8 = 1
  case uint16 = 2
  case int16 = 3
  case uint32 = 4
  case int32 = 5
  case float32 = 6
  case bool = 7
  case string = 8
  case array = 9
  case uint64 = 10
  case int64 = 11
  case float64 = 12

  /// Bytes of a value of fixed size; nil for strings and arrays.
  package var fixedByteCount: Int? {
    switch self {
    case .uint8, .int8, .bool: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .string, .array: nil
    }
  }

  /// The fewest bytes a value takes: a string has a length, an array a type and a count.
  package var leastByteCount: Int {
    switch self {
    case .string: 8
    case .array: 12
    default: fixedByteCount ?? 1
    }
  }
}

/// One metadata value; strings and arrays are views that keep the file mapped while they live.
package enum GGUFValue: Sendable {
  case uint8(UInt8)
  case int8(Int8)
  case uint16(UInt16)
  case int16(Int16)
  case uint32(UInt32)
  case int32(Int32)
  case uint64(UInt64)
  case int64(Int64)
  case float32(Float)
  case float64(Double)
  case bool(Bool)
  case string(GGUFString)
  case array(GGUFArray)

  /// The type it has in the file.
  package var type: GGUFValueType {
    switch self {
    case .uint8: .uint8
    case .int8: .int8
    case .uint16: .uint16
    case .int16: .int16
    case .uint32: .uint32
    case .int32: .int32
    case .uint64: .uint64
    case .int64: .int64
    case .float32: .float32
    case .float64: .float64
    case .bool: .bool
    case .string: .string
    case .array: .array
    }
  }

  /// The value of any integer type; nil for other types, negative numbers in particular.
  package var unsigned: UInt64? {
    switch self {
    case .uint8(let value): UInt64(value)
    case .uint16(let value): UInt64(value)
    case .uint32(let value): UInt64(value)
    case .uint64(let value): value
    case .int8(let value): UInt64(exactly: value)
    case .int16(let value): UInt64(exactly: value)
    case .int32(let value): UInt64(exactly: value)
    case .int64(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The value of any integer type that fits an `Int`; nil for other types and greater numbers.
  package var integer: Int? {
    switch self {
    case .int8(let value): Int(value)
    case .int16(let value): Int(value)
    case .int32(let value): Int(value)
    case .int64(let value): Int(exactly: value)
    default: unsigned.flatMap { Int(exactly: $0) }
    }
  }

  /// The value of any number type as a `Double`; nil for other types.
  package var double: Double? {
    switch self {
    case .float32(let value): Double(value)
    case .float64(let value): value
    default: integer.map { Double($0) } ?? unsigned.map { Double($0) }
    }
  }

  /// The value of a bool; nil for other types.
  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The view of a string; nil for other types.
  package var string: GGUFString? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The view of an array; nil for other types.
  package var array: GGUFArray? {
    if case .array(let value) = self { value } else { nil }
  }
}

/// A string of a file: bytes that should be UTF-8 but, in token lists, need not be.
package struct GGUFString: Sendable {
  private let mapping: FileMapping
  private let range: Range<Int>

  /// A view of `range` of the mapped file.
  package init(mapping: FileMapping, range: Range<Int>) {
    self.mapping = mapping
    self.range = range
  }

  /// Bytes of the string.
  package var count: Int { range.count }

  /// A copy of the bytes.
  package var bytes: [UInt8] { withBytes { [UInt8]($0) } }

  /// The text, with U+FFFD in place of bytes that are not UTF-8.
  package var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }

  /// Calls `body` with the bytes in place, without a copy.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withExtendedLifetime(mapping) {
      try body(UnsafeRawBufferPointer(rebasing: mapping.bytes[range]))
    }
  }
}
