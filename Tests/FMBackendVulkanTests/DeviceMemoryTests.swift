import FMBackendVulkan
import Testing

/// Buffers and transfers on a device.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct DeviceMemoryTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  @Test(arguments: VulkanMemoryKind.allCases)
  func `buffers of every kind are aligned, apart and mapped where promised`(
    kind: VulkanMemoryKind
  ) throws {
    let buffers = try [1, 255, 256, 257, 4096].map {
      try device.makeBuffer(bytes: $0, kind: kind, purpose: "test")
    }
    for (index, buffer) in buffers.enumerated() {
      #expect(buffer.address % 256 == 0)
      #expect(buffer.address != 0)
      if kind.isAlwaysMapped { #expect(buffer.mapped?.count == buffer.byteCount) }
      for other in buffers[..<index] {
        let isApart =
          buffer.address + UInt64(buffer.byteCount) <= other.address
          || other.address + UInt64(other.byteCount) <= buffer.address
        #expect(isApart)
      }
    }
  }

  @Test func `many buffers share few allocations and give them back`() throws {
    let own = try VulkanTestDevice.open()
    var buffers: [VulkanBuffer] = []
    for _ in 0..<200 {
      buffers.append(try own.makeBuffer(bytes: 10_000, kind: .deviceLocal, purpose: "test"))
    }
    #expect(own.counters.allocations == 1)
    let held = own.allocatedBytes
    buffers = []
    buffers.append(try own.makeBuffer(bytes: 10_000, kind: .deviceLocal, purpose: "test"))
    #expect(own.counters.allocations == 1)
    #expect(own.allocatedBytes == held)
    // A buffer of its own block leaves nothing behind.
    let large = held + 256
    buffers.append(try own.makeBuffer(bytes: large, kind: .deviceLocal, purpose: "test"))
    #expect(own.allocatedBytes == held + large)
    buffers.removeLast()
    #expect(own.allocatedBytes == held)
  }

  @Test func `more than there is throws with sizes and leaves the device usable`() throws {
    let bytes = device.physical.deviceBytes &* 16 / 256 * 256
    let failure = try #require(throws: VulkanError.self) {
      _ = try device.makeBuffer(bytes: bytes, kind: .deviceLocal, purpose: "too much")
    }
    switch failure {
    case .outOfMemory(let wanted, let purpose, let available):
      #expect(wanted == bytes && purpose == "too much" && available < bytes)
    case .bufferTooLarge(let wanted, let limit, let purpose):
      #expect(wanted == bytes && purpose == "too much" && limit < bytes)
    default: Issue.record("\(failure)")
    }
    #expect(throws: VulkanError.self) {
      _ = try device.makeBuffer(bytes: Int.max, kind: .deviceLocal, purpose: "overflow")
    }
    _ = try device.makeBuffer(bytes: 256, kind: .deviceLocal, purpose: "after")
  }

  @Test(arguments: [false, true], [1, 255, 1024, 1025, 10_000])
  func `uploaded bytes come back`(forceStaging: Bool, count: Int) throws {
    // Slots of a kilobyte, so that the larger sizes go round the two several times.
    let transfer = VulkanTransfer(device, slotBytes: 1024, forceStaging: forceStaging)
    let offset = 40
    let buffer = try device.makeBuffer(
      bytes: count + offset + 8, kind: .deviceLocal, purpose: "test")
    let source = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + $0 / 256) }
    let filler = [UInt8](repeating: 0xEE, count: buffer.byteCount)
    try filler.withUnsafeBytes { try transfer.upload($0, to: buffer) }
    try source.withUnsafeBytes { try transfer.upload($0, to: buffer, offset: offset) }
    try transfer.finish()
    var back = [UInt8](repeating: 0, count: buffer.byteCount)
    try back.withUnsafeMutableBytes { try transfer.download(buffer, into: $0) }
    #expect(Array(back[..<offset]) == Array(filler[..<offset]))
    #expect(Array(back[offset..<(offset + count)]) == source)
    #expect(Array(back[(offset + count)...]) == Array(filler[..<8]))
    var part = [UInt8](repeating: 0, count: count)
    try part.withUnsafeMutableBytes { try transfer.download(buffer, offset: offset, into: $0) }
    #expect(part == source)
  }

  @Test func `transfers that leave the buffer are refused`() throws {
    let transfer = VulkanTransfer(device, slotBytes: 1024)
    let buffer = try device.makeBuffer(bytes: 100, kind: .deviceLocal, purpose: "test")
    let source = [UInt8](repeating: 0, count: 60)
    for offset in [41, 100, 101, -1, Int.max] {
      #expect(
        throws: VulkanError.invalidRange(
          operation: "upload", offset: offset, bytes: 60, bufferBytes: 100)
      ) { try source.withUnsafeBytes { try transfer.upload($0, to: buffer, offset: offset) } }
    }
    try source.withUnsafeBytes { try transfer.upload($0, to: buffer, offset: 40) }
  }
}
