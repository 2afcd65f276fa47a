internal import CVulkan

/// A range of device memory that shaders reach by its address.
///
/// Belongs to one thread at a time; given back when the last reference goes. Contents are undefined at first.
package final class VulkanBuffer {
  /// Bytes that were asked for.
  package let byteCount: Int
  /// The device address of the first byte, a multiple of 256.
  package let address: UInt64
  /// The bytes for the processor; nil where the memory cannot be mapped.
  ///
  /// Coherent: what is written before a submission is seen by it, and what the device wrote can be
  /// read after waiting for it.
  package let mapped: UnsafeMutableRawBufferPointer?

  let allocation: VulkanMemory.Allocation
  private let device: VulkanDevice

  init(_ device: VulkanDevice, allocation: VulkanMemory.Allocation, byteCount: Int) {
    self.device = device
    self.allocation = allocation
    self.byteCount = byteCount
    let start = allocation.range.lowerBound
    address = allocation.block.block.address + UInt64(start)
    mapped = allocation.block.block.mapped.map {
      UnsafeMutableRawBufferPointer(start: $0 + start, count: byteCount)
    }
  }

  deinit { device.memory.release(allocation) }

  /// The Vulkan buffer of the block and where this one begins in it.
  var place: (buffer: VulkanHandle, offset: UInt64) {
    (allocation.block.buffer, UInt64(allocation.range.lowerBound))
  }

  /// Refuses a range that leaves the buffer.
  func check(
    _ operation: String, offset: Int, bytes: Int, multipleOf unit: Int = 1
  ) throws(VulkanError) {
    let (end, overflow) = offset.addingReportingOverflow(bytes)
    guard offset >= 0, bytes >= 0, !overflow, end <= byteCount, offset % unit == 0,
      bytes % unit == 0
    else {
      throw .invalidRange(
        operation: operation, offset: offset, bytes: bytes, bufferBytes: byteCount)
    }
  }
}
