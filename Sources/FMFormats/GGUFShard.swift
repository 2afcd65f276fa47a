/// The checked header of one GGUF file.
struct GGUFShard {
  static let keyCountLimit = 65_536
  static let tensorCountLimit = 262_144
  static let defaultAlignment = 32
  private static let alignmentKey = "general.alignment"

  let mapping: FileMapping
  let version: UInt32
  let keys: [String]
  let values: [String: GGUFValue]
  let tensors: [GGUFTensor]

  /// Reads and checks everything the file declares.
  ///
  /// - Complexity: linear in the header's bytes (and sorting the tensors by offset).
  init(mapping: FileMapping, index: Int) throws(GGUFError) {
    self.mapping = mapping
    var reader = GGUFByteReader(mapping: mapping)
    version = try Self.readVersion(&reader)
    let tensorCount = try reader.count(
      "tensors", leastBytes: 32, limit: Self.tensorCountLimit)
    let keyCount = try reader.count(
      "metadata keys", leastBytes: 13, limit: Self.keyCountLimit)
    (keys, values) = try Self.readMetadata(&reader, count: keyCount)
    let alignment = try Self.alignment(values[Self.alignmentKey], path: mapping.path)
    var headers: [TensorHeader] = []
    headers.reserveCapacity(tensorCount)
    for _ in 0..<tensorCount { headers.append(try TensorHeader(&reader)) }
    tensors = try Self.place(
      headers, dataOffset: reader.offset, alignment: alignment, mapping: mapping, shard: index)
  }

  private static func readVersion(_ reader: inout GGUFByteReader) throws(GGUFError) -> UInt32 {
    let bytes = reader.mapping.bytes
    guard !bytes.isEmpty else { throw .empty(path: reader.path) }
    guard bytes.starts(with: "GGUF".utf8) else {
      throw .notGGUF(path: reader.path, found: Array(bytes.prefix(64)))
    }
    _ = try reader.integer(UInt32.self, "magic number")
    let version = try reader.integer(UInt32.self, "version")
    // A version below 65,536 read in the wrong byte order has no low bits.
    if version != 0, version & 0xFFFF == 0 { throw .bigEndian(path: reader.path) }
    guard version == 2 || version == 3 else {
      throw .unsupportedVersion(path: reader.path, version: version)
    }
    return version
  }

  private static func readMetadata(
    _ reader: inout GGUFByteReader, count: Int
  ) throws(GGUFError) -> ([String], [String: GGUFValue]) {
    var keys: [String] = []
    var values: [String: GGUFValue] = [:]
    keys.reserveCapacity(count)
    for _ in 0..<count {
      let key = try reader.name("metadata key")
      let type = try reader.valueType(key: key)
      let value = try reader.value(of: type, key: key, depth: 0)
      guard values.updateValue(value, forKey: key) == nil else {
        throw .duplicateKey(path: reader.path, key: key)
      }
      keys.append(key)
    }
    return (keys, values)
  }

  private static func alignment(_ value: GGUFValue?, path: String) throws(GGUFError) -> Int {
    guard let value else { return defaultAlignment }
    guard case .uint32(let alignment) = value else {
      throw .invalidAlignment(path: path, found: "a value of type \(value.type)")
    }
    guard alignment > 0, alignment & (alignment - 1) == 0 else {
      throw .invalidAlignment(path: path, found: "\(alignment)")
    }
    return Int(alignment)
  }

  /// Finds every tensor's bytes and checks that they are in the file, aligned and apart.
  private static func place(
    _ headers: [TensorHeader], dataOffset: Int, alignment: Int, mapping: FileMapping, shard: Int
  ) throws(GGUFError) -> [GGUFTensor] {
    // Can't overflow: both are below 2^63 by far (a file's offset, and at most 2^31).
    let dataStart = (dataOffset + alignment - 1) / alignment * alignment
    let available = max(0, mapping.bytes.count - dataStart)
    var names: Set<String> = []
    var tensors: [GGUFTensor] = []
    tensors.reserveCapacity(headers.count)
    for header in headers {
      guard names.insert(header.name).inserted else {
        throw .duplicateTensor(path: mapping.path, tensor: header.name)
      }
      guard header.offset % UInt64(alignment) == 0 else {
        throw .misalignedTensor(
          path: mapping.path, tensor: header.name, offset: header.offset, alignment: alignment)
      }
      guard
        header.byteCount <= available, header.offset <= UInt64(available - header.byteCount)
      else {
        throw .tensorOutOfBounds(
          path: mapping.path, tensor: header.name, offset: header.offset,
          byteCount: header.byteCount, available: available)
      }
      let start = dataStart + Int(header.offset)
      tensors.append(
        GGUFTensor(
          name: header.name, typeID: header.typeID, dimensions: header.dimensions,
          elementCount: header.elementCount, shard: shard,
          byteRange: start..<start + header.byteCount))
    }
    try checkOverlaps(tensors, path: mapping.path)
    return tensors
  }

  private static func checkOverlaps(_ tensors: [GGUFTensor], path: String) throws(GGUFError) {
    let sorted = tensors.sorted { $0.byteRange.lowerBound < $1.byteRange.lowerBound }
    for (first, second) in zip(sorted, sorted.dropFirst())
    where first.byteRange.upperBound > second.byteRange.lowerBound {
      throw .overlappingTensors(path: path, first: first.name, second: second.name)
    }
  }
}

/// What a file says of one tensor, with sizes checked against overflow but not against the file.
private struct TensorHeader {
  private static let dimensionLimit = 4

  let name: String
  let typeID: UInt32
  let dimensions: [Int]
  let elementCount: Int
  let byteCount: Int
  /// From the start of the tensor data.
  let offset: UInt64

  init(_ reader: inout GGUFByteReader) throws(GGUFError) {
    name = try reader.name("tensor name")
    let declared = try reader.integer(UInt32.self, "dimension count of \(name)")
    guard declared >= 1, declared <= Self.dimensionLimit else {
      throw .invalidDimensions(
        path: reader.path, tensor: name, dimensions: [],
        reason: "there are \(declared), not 1 to \(Self.dimensionLimit)")
    }
    var sizes: [UInt64] = []
    for _ in 0..<declared {
      sizes.append(try reader.integer(UInt64.self, "dimensions of \(name)"))
    }
    typeID = try reader.integer(UInt32.self, "type of \(name)")
    offset = try reader.integer(UInt64.self, "offset of \(name)")
    guard let storage = GGUFStorage.named(typeID) else {
      throw .unknownTensorType(path: reader.path, tensor: name, type: typeID)
    }
    do {
      (dimensions, elementCount, byteCount) = try Self.measure(sizes, storage)
    } catch {
      throw .invalidDimensions(
        path: reader.path, tensor: name, dimensions: sizes, reason: error.reason)
    }
  }

  private struct Unmeasurable: Error { let reason: String }

  private static func measure(
    _ sizes: [UInt64], _ storage: GGUFStorage
  ) throws(Unmeasurable) -> (dimensions: [Int], elements: Int, bytes: Int) {
    var dimensions: [Int] = []
    var elements = 1
    for size in sizes {
      guard size > 0 else { throw Unmeasurable(reason: "a dimension is zero") }
      guard let dimension = Int(exactly: size) else {
        throw Unmeasurable(reason: "a dimension is too large")
      }
      let (product, overflow) = elements.multipliedReportingOverflow(by: dimension)
      guard !overflow else { throw Unmeasurable(reason: "the element count overflows") }
      elements = product
      dimensions.append(dimension)
    }
    guard dimensions[0] % storage.blockElements == 0 else {
      throw Unmeasurable(
        reason: "a row is not a whole number of \(storage.name) blocks of "
          + "\(storage.blockElements)")
    }
    let (bytes, overflow) = (elements / storage.blockElements)
      .multipliedReportingOverflow(by: storage.blockBytes)
    guard !overflow else { throw Unmeasurable(reason: "the byte count overflows") }
    return (dimensions, elements, bytes)
  }
}
