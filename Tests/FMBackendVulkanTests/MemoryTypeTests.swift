import FMBackendVulkan
import Testing

/// Which memory serves what, on made-up devices.
@Suite struct MemoryTypeTests {
  // VkMemoryPropertyFlags.
  private let local: UInt32 = 1
  private let visible: UInt32 = 2 | 4
  private let cached: UInt32 = 8

  private func device(
    _ kind: VulkanPhysicalDevice.Kind, heaps: [(Int, Bool)], types: [(UInt32, Int)]
  ) -> VulkanPhysicalDevice {
    var device = VulkanPhysicalDevice()
    device.kind = kind
    device.heaps = heaps.map {
      .init(bytes: $0.0, budgetBytes: $0.0, usedBytes: 0, isDeviceLocal: $0.1)
    }
    device.memoryTypes = types.map { .init(flags: $0.0, heap: $0.1) }
    return device
  }

  @Test func `a card keeps weights in its large heap and not in the mapped window`() {
    let card = device(
      .discrete, heaps: [(256 << 20, true), (16 << 30, false), (8 << 30, true)],
      types: [(local | visible, 0), (visible, 1), (visible | cached, 1), (local, 2)])
    #expect(card.memoryTypes(for: .deviceLocal, allowed: .max) == [3, 0])
    #expect(card.memoryTypes(for: .upload, allowed: .max) == [1, 2, 0])
    #expect(card.memoryTypes(for: .readback, allowed: .max) == [2, 1, 0])
    #expect(card.memoryTypes(for: .shared, allowed: .max) == [0, 1, 2])
    #expect(!card.isUnifiedMemory)
    #expect(card.deviceBytes == (8 << 30) + (256 << 20))
  }

  @Test func `a card whose whole memory can be mapped still leaves weights unmapped`() {
    let card = device(
      .discrete, heaps: [(8 << 30, true), (16 << 30, false)],
      types: [(local | visible, 0), (local, 0), (visible | cached, 1)])
    #expect(card.memoryTypes(for: .deviceLocal, allowed: .max) == [1, 0])
  }

  @Test func `on unified memory weights are mapped`() {
    let chip = device(
      .integrated, heaps: [(16 << 30, true)],
      types: [(local, 0), (local | visible, 0), (local | visible | cached, 0)])
    #expect(chip.memoryTypes(for: .deviceLocal, allowed: .max).first == 1)
    #expect(chip.memoryTypes(for: .readback, allowed: .max).first == 2)
    #expect(chip.isUnifiedMemory)
  }

  @Test func `types that buffers may not have or that are special are left out`() {
    let card = device(
      .discrete, heaps: [(8 << 30, true)],
      types: [(local, 0), (local, 0), (local | 32, 0), (local | 16, 0), (local, 7)])
    #expect(card.memoryTypes(for: .deviceLocal, allowed: 0b11110) == [1])
    #expect(card.memoryTypes(for: .upload, allowed: .max).isEmpty)
  }
}
