/// Reads a GGUF file's header from front to back, checking every size against the bytes present.
struct GGUFByteReader {
  /// Arrays in arrays deeper than this are refused; the format's own uses need one level.
  static let nestingLimit = 4
  /// The longest key or tensor name, from the format's description.
  static let nameByteLimit = 65_535

  let mapping: FileMapping
  private(set) var offset: Int

  init(mapping: FileMapping, offset: Int = 0) {
    self.mapping = mapping
    self.offset = offset
  }

  var path: String { mapping.path }
  var remaining: Int { mapping.bytes.count - offset }

  /// Reads a number stored in little-endian order.
  mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, _ what: @autoclosure () -> String
  ) throws(GGUFError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= remaining else { throw truncated(what(), needs: UInt64(size)) }
    defer { offset += size }
    return Number(littleEndian: mapping.bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Reads a count of things that take at least `leastBytes` each, and so can't exceed what is left.
  mutating func count(
    _ what: String, leastBytes: Int, limit: Int = .max
  ) throws(GGUFError) -> Int {
    let start = offset
    let found = try integer(UInt64.self, what)
    let most = remaining / leastBytes
    guard found <= UInt64(most) else {
      throw .countTooLarge(path: path, offset: start, what: what, count: found, most: most)
    }
    guard found <= UInt64(limit) else {
      throw .limitExceeded(path: path, what: what, count: found, limit: limit)
    }
    return Int(found)
  }

  /// Reads a string's length and skips its bytes.
  mutating func stringRange(_ what: @autoclosure () -> String) throws(GGUFError) -> Range<Int> {
    let length = try integer(UInt64.self, what())
    guard length <= UInt64(remaining) else { throw truncated(what(), needs: length) }
    let start = offset
    offset += Int(length)
    return start..<offset
  }

  /// Reads a key or a tensor's name, which is UTF-8 of limited length.
  mutating func name(_ what: String) throws(GGUFError) -> String {
    let start = offset
    let range = try stringRange(what)
    guard range.count <= Self.nameByteLimit else {
      throw .limitExceeded(
        path: path, what: "\(what) bytes", count: UInt64(range.count), limit: Self.nameByteLimit)
    }
    guard let text = String(validating: mapping.bytes[range], as: UTF8.self) else {
      throw .invalidText(path: path, offset: start, what: what)
    }
    return text
  }

  /// Reads a value of `type`; `depth` counts the arrays around it.
  mutating func value(
    of type: GGUFValueType, key: String, depth: Int
  ) throws(GGUFError) -> GGUFValue {
    switch type {
    case .uint8: return .uint8(try integer(UInt8.self, key))
    case .int8: return .int8(try integer(Int8.self, key))
    case .uint16: return .uint16(try integer(UInt16.self, key))
    case .int16: return .int16(try integer(Int16.self, key))
    case .uint32: return .uint32(try integer(UInt32.self, key))
    case .int32: return .int32(try integer(Int32.self, key))
    case .uint64: return .uint64(try integer(UInt64.self, key))
    case .int64: return .int64(try integer(Int64.self, key))
    case .float32: return .float32(Float(bitPattern: try integer(UInt32.self, key)))
    case .float64: return .float64(Double(bitPattern: try integer(UInt64.self, key)))
    case .bool: return .bool(try bool(key: key))
    case .string: return .string(GGUFString(mapping: mapping, range: try stringRange(key)))
    case .array: return .array(try array(key: key, depth: depth))
    }
  }

  /// Reads the number of a value's type.
  mutating func valueType(key: String) throws(GGUFError) -> GGUFValueType {
    let start = offset
    let number = try integer(UInt32.self, key)
    guard let type = GGUFValueType(rawValue: number) else {
      throw .unknownValueType(path: path, offset: start, key: key, type: number)
    }
    return type
  }

  private mutating func bool(key: String) throws(GGUFError) -> Bool {
    let start = offset
    let byte = try integer(UInt8.self, key)
    guard byte <= 1 else {
      throw .invalidBool(path: path, offset: start, key: key, found: byte)
    }
    return byte == 1
  }

  private mutating func array(key: String, depth: Int) throws(GGUFError) -> GGUFArray {
    guard depth < Self.nestingLimit else {
      throw .nestingTooDeep(path: path, offset: offset, key: key, limit: Self.nestingLimit)
    }
    let type = try valueType(key: key)
    let count = try count("elements of \(key)", leastBytes: type.leastByteCount)
    let start = offset
    var offsets: [Int] = []
    if let size = type.fixedByteCount {
      if type == .bool { try checkBools(count, key: key) }
      // Cannot overflow: `count` was checked to fit what is left.
      offset = start + count * size
    } else {
      // Bounded by the file's own size, at least eight bytes an element.
      offsets.reserveCapacity(count)
      for _ in 0..<count {
        offsets.append(offset)
        if type == .string {
          _ = try stringRange(key)
        } else {
          _ = try array(key: key, depth: depth + 1)
        }
      }
    }
    return GGUFArray(
      mapping: mapping, elementType: type, count: count, range: start..<offset, offsets: offsets)
  }

  private func checkBools(_ count: Int, key: String) throws(GGUFError) {
    for position in offset..<offset + count where mapping.bytes[position] > 1 {
      throw .invalidBool(
        path: path, offset: position, key: key, found: mapping.bytes[position])
    }
  }

  private func truncated(_ what: String, needs: UInt64) -> GGUFError {
    .truncated(path: path, offset: offset, what: what, needed: needs, available: remaining)
  }
}
