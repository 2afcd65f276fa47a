package import FMCore

/// Builds a GGUF version 3 file: metadata in the order it was added, then tensors.
///
/// Nothing is checked beyond what the layout needs, so that tests can also write what readers refuse.
package struct GGUFWriter: Sendable {
  private struct Tensor: Sendable {
    let name: String
    let typeID: UInt32
    let dimensions: [UInt64]
    let byteCount: Int
    let contents: @Sendable () throws -> [UInt8]
  }

  /// What tensor offsets are multiples of; a power of two, 32 unless the metadata says otherwise.
  package let alignment: Int
  private var metadata: [(key: String, value: GGUFEncodedValue)] = []
  private var tensors: [Tensor] = []

  /// Starts an empty file; an alignment other than 32 is written as `general.alignment`.
  package init(alignment: Int = 32) {
    precondition(alignment > 0 && alignment & (alignment - 1) == 0, "not a power of two")
    self.alignment = alignment
    if alignment != 32 { add("general.alignment", .uint32(UInt32(alignment))) }
  }

  /// Adds a metadata value.
  package mutating func add(_ key: String, _ value: GGUFEncodedValue) {
    metadata.append((key, value))
  }

  /// Adds a tensor whose bytes are at hand; `dimensions` has the contiguous one first.
  package mutating func addTensor(
    _ name: String, type: ElementType, dimensions: [Int], bytes: [UInt8]
  ) {
    addTensor(
      name, typeID: type.ggufID, dimensions: dimensions.map { UInt64($0) },
      byteCount: bytes.count
    ) { bytes }
  }

  /// Adds an F32 tensor.
  package mutating func addTensor(_ name: String, dimensions: [Int], floats: [Float]) {
    let bytes = floats.flatMap { GGUFEncodedValue.littleEndian($0.bitPattern) }
    addTensor(name, type: .f32, dimensions: dimensions, bytes: bytes)
  }

  /// Adds a tensor whose bytes are made when they are written, one tensor at a time.
  ///
  /// `contents` must return exactly `byteCount` bytes.
  package mutating func addTensor(
    _ name: String, typeID: UInt32, dimensions: [UInt64], byteCount: Int,
    contents: @escaping @Sendable () throws -> [UInt8]
  ) {
    tensors.append(
      Tensor(
        name: name, typeID: typeID, dimensions: dimensions, byteCount: byteCount,
        contents: contents))
  }

  /// The whole file in memory.
  package func bytes() throws -> [UInt8] {
    var result: [UInt8] = []
    try emit { result += $0 }
    return result
  }

  /// Writes the file to `path`, replacing what is there only when all of it was written.
  ///
  /// - Throws: ``GGUFError`` when writing fails, or what a tensor's `contents` throws.
  package func write(to path: String) throws {
    let file = try FileReplacement(path: path)
    try emit { try file.append($0) }
    try file.commit()
  }

  private func emit(_ sink: ([UInt8]) throws -> Void) throws {
    var header = header()
    header += padding(after: header.count)
    try sink(header)
    for tensor in tensors {
      let contents = try tensor.contents()
      precondition(contents.count == tensor.byteCount, "a tensor's bytes are not as announced")
      try sink(contents)
      try sink(padding(after: contents.count))
    }
  }

  private func header() -> [UInt8] {
    var header = Array("GGUF".utf8)
    header += GGUFEncodedValue.littleEndian(UInt32(3))
    header += GGUFEncodedValue.littleEndian(UInt64(tensors.count))
    header += GGUFEncodedValue.littleEndian(UInt64(metadata.count))
    for (key, value) in metadata {
      header += GGUFEncodedValue.encodedString(Array(key.utf8))
      header += GGUFEncodedValue.littleEndian(value.type.rawValue)
      header += value.payload
    }
    var offset = 0
    for tensor in tensors {
      header += GGUFEncodedValue.encodedString(Array(tensor.name.utf8))
      header += GGUFEncodedValue.littleEndian(UInt32(tensor.dimensions.count))
      for dimension in tensor.dimensions { header += GGUFEncodedValue.littleEndian(dimension) }
      header += GGUFEncodedValue.littleEndian(tensor.typeID)
      header += GGUFEncodedValue.littleEndian(UInt64(offset))
      offset += tensor.byteCount + padding(after: tensor.byteCount).count
    }
    return header
  }

  private func padding(after count: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (alignment - count % alignment) % alignment)
  }
}

/// A metadata value as it lies in a file.
package struct GGUFEncodedValue: Sendable, Hashable {
  package let type: GGUFValueType
  /// The bytes after the type, in the file's order.
  package let payload: [UInt8]

  /// A value of `type` with any payload, sound or not.
  package init(type: GGUFValueType, payload: [UInt8]) {
    self.type = type
    self.payload = payload
  }

  /// The same bytes as a value read from another file.
  package init(copying value: GGUFValue) {
    switch value {
    case .uint8(let number): self = .uint8(number)
    case .int8(let number): self = .int8(number)
    case .uint16(let number): self = .uint16(number)
    case .int16(let number): self = .int16(number)
    case .uint32(let number): self = .uint32(number)
    case .int32(let number): self = .int32(number)
    case .uint64(let number): self = .uint64(number)
    case .int64(let number): self = .int64(number)
    case .float32(let number): self = .float32(number)
    case .float64(let number): self = .float64(number)
    case .bool(let value): self = .bool(value)
    case .string(let text): self = .bytes(text.bytes)
    case .array(let array):
      self.init(
        type: .array,
        payload: Self.arrayHeader(array.elementType, array.count) + array.encodedElements)
    }
  }

  /// One value of type `uint8`.
  package static func uint8(_ value: UInt8) -> Self { Self(type: .uint8, payload: [value]) }
  /// One value of type `int8`.
  package static func int8(_ value: Int8) -> Self {
    Self(type: .int8, payload: littleEndian(value))
  }
  /// One value of type `uint16`.
  package static func uint16(_ value: UInt16) -> Self {
    Self(type: .uint16, payload: littleEndian(value))
  }
  /// One value of type `int16`.
  package static func int16(_ value: Int16) -> Self {
    Self(type: .int16, payload: littleEndian(value))
  }
  /// One value of type `uint32`.
  package static func uint32(_ value: UInt32) -> Self {
    Self(type: .uint32, payload: littleEndian(value))
  }
  /// One value of type `int32`.
  package static func int32(_ value: Int32) -> Self {
    Self(type: .int32, payload: littleEndian(value))
  }
  /// One value of type `uint64`.
  package static func uint64(_ value: UInt64) -> Self {
    Self(type: .uint64, payload: littleEndian(value))
  }
  /// One value of type `int64`.
  package static func int64(_ value: Int64) -> Self {
    Self(type: .int64, payload: littleEndian(value))
  }
  /// One value of type `float32`.
  package static func float32(_ value: Float) -> Self {
    Self(type: .float32, payload: littleEndian(value.bitPattern))
  }
  /// One value of type `float64`.
  package static func float64(_ value: Double) -> Self {
    Self(type: .float64, payload: littleEndian(value.bitPattern))
  }
  /// A truth value, one byte.
  package static func bool(_ value: Bool) -> Self {
    Self(type: .bool, payload: [value ? 1 : 0])
  }
  /// A string in UTF-8.
  package static func string(_ value: String) -> Self { bytes(Array(value.utf8)) }

  /// A string of any bytes.
  package static func bytes(_ value: [UInt8]) -> Self {
    Self(type: .string, payload: encodedString(value))
  }

  /// An array of strings in UTF-8.
  package static func strings(_ values: [String]) -> Self {
    byteStrings(values.map { Array($0.utf8) })
  }

  /// An array of strings of any bytes, as vocabularies are.
  package static func byteStrings(_ values: [[UInt8]]) -> Self {
    var payload = arrayHeader(.string, values.count)
    for value in values { payload += encodedString(value) }
    return Self(type: .array, payload: payload)
  }

  /// An array of 32-bit floats.
  package static func floats(_ values: [Float]) -> Self {
    var payload = arrayHeader(.float32, values.count)
    for value in values { payload += littleEndian(value.bitPattern) }
    return Self(type: .array, payload: payload)
  }

  /// An array of signed 32-bit numbers.
  package static func int32s(_ values: [Int32]) -> Self {
    var payload = arrayHeader(.int32, values.count)
    for value in values { payload += littleEndian(value) }
    return Self(type: .array, payload: payload)
  }

  /// An array of unsigned 32-bit numbers.
  package static func uint32s(_ values: [UInt32]) -> Self {
    var payload = arrayHeader(.uint32, values.count)
    for value in values { payload += littleEndian(value) }
    return Self(type: .array, payload: payload)
  }

  /// An array of truth values, one byte each.
  package static func bools(_ values: [Bool]) -> Self {
    Self(type: .array, payload: arrayHeader(.bool, values.count) + values.map { $0 ? 1 : 0 })
  }

  /// An array of arrays.
  package static func arrays(_ values: [GGUFEncodedValue]) -> Self {
    var payload = arrayHeader(.array, values.count)
    for value in values { payload += value.payload }
    return Self(type: .array, payload: payload)
  }

  static func arrayHeader(_ type: GGUFValueType, _ count: Int) -> [UInt8] {
    littleEndian(type.rawValue) + littleEndian(UInt64(count))
  }

  static func encodedString(_ bytes: [UInt8]) -> [UInt8] {
    littleEndian(UInt64(bytes.count)) + bytes
  }

  static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }
}
