/// The arguments of one dispatch in the layout GLSL gives a push constant block.
///
/// Values are aligned to their own size: addresses and longs to 8 bytes, words and floats to 4.
package struct VulkanPushConstants {
  private(set) var bytes: [UInt8] = []
  /// Buffers whose addresses were pushed.
  private(set) var buffers: [VulkanBuffer] = []

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    buffers.removeAll(keepingCapacity: true)
  }

  /// Appends the address of a byte of a buffer; `offset` lies inside the buffer.
  package mutating func address(_ buffer: VulkanBuffer, offset: Int = 0) {
    precondition(offset >= 0 && offset <= buffer.byteCount, "an address outside its buffer")
    buffers.append(buffer)
    long(buffer.address + UInt64(offset))
  }

  /// Appends 64 bits.
  package mutating func long(_ value: UInt64) { append(value.littleEndian, alignment: 8) }
  /// Appends 32 bits.
  package mutating func word(_ value: UInt32) { append(value.littleEndian, alignment: 4) }
  /// Appends a float.
  package mutating func float(_ value: Float) { word(value.bitPattern) }

  private mutating func append<Value>(_ value: Value, alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
}
