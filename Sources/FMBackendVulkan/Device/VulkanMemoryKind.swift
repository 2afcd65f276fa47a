internal import CVulkan

/// What memory is for, which decides where it lies.
package enum VulkanMemoryKind: Int, Sendable, Hashable, CaseIterable {
  /// Weights, scratch and KV cache: the device's own. Mapped only where memory is unified.
  case deviceLocal
  /// Written by the processor once and read by the device once.
  case upload
  /// Written by the device and read by the processor, through its caches.
  case readback
  /// Small and touched by both at every step: the device's own and mapped, where there is such.
  case shared

  /// Whether buffers of the kind always have a pointer.
  package var isAlwaysMapped: Bool { self != .deviceLocal }
}

extension VulkanPhysicalDevice {
  /// The memory types that can serve a kind, best first.
  ///
  /// `allowed` has a bit for each type that buffers may live in. Mapped kinds take only coherent
  /// memory, of which every device has some.
  package func memoryTypes(for kind: VulkanMemoryKind, allowed: UInt32) -> [Int] {
    memoryTypes.indices.filter { index in
      guard index < 32, allowed & 1 << UInt32(index) != 0 else { return false }
      let type = memoryTypes[index]
      guard type.flags & Self.unusable == 0, heaps.indices.contains(type.heap) else { return false }
      return kind == .deviceLocal
        ? type.flags & Self.local != 0 : type.flags & Self.mappable == Self.mappable
    }.sorted { left, right in
      let (a, b) = (rank(left, for: kind), rank(right, for: kind))
      return a == b ? left < right : a.lexicographicallyPrecedes(b)
    }
  }

  /// Whether a type's memory can be mapped without flushing.
  package func isMappable(_ type: Int) -> Bool {
    memoryTypes[type].flags & Self.mappable == Self.mappable
  }

  /// Smaller is better, first entry first.
  private func rank(_ index: Int, for kind: VulkanMemoryKind) -> [Int] {
    let type = memoryTypes[index]
    let isLocal = type.flags & Self.local != 0
    let isCached = type.flags & Self.cached != 0
    let size = -heaps[type.heap].bytes
    // By heap before visibility: the small window into a large card's memory comes last.
    return switch kind {
    case .deviceLocal: [size, isMappable(index) == isUnifiedMemory ? 0 : 1]
    case .upload: [isLocal ? 1 : 0, isCached ? 1 : 0, size]
    case .readback: [isCached ? 0 : 1, isLocal ? 1 : 0, size]
    case .shared: [isLocal ? 0 : 1, isCached ? 1 : 0, size]
    }
  }

  private static let local = flag(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
  private static let cached = flag(VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
  private static let mappable =
    flag(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) | flag(VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
  private static let unusable =
    flag(VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) | flag(VK_MEMORY_PROPERTY_PROTECTED_BIT)
    | flag(VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD)

  private static func flag(_ bit: VkMemoryPropertyFlagBits) -> UInt32 { UInt32(bit.rawValue) }
}
