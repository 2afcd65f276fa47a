internal import CVulkan
internal import Synchronization

/// One allocation of a device with a buffer over all of it.
///
/// SAFETY: everything is immutable; what is free of it is kept by ``VulkanMemory`` under its lock.
final class VulkanMemoryBlock: @unchecked Sendable {
  let device: VulkanHandle
  let block: fm_vk_block
  let buffer: VulkanHandle
  let byteCount: Int
  let heap: Int

  init(
    device: VulkanHandle, byteCount: Int, type: Int, heap: Int, map: Bool
  ) throws(VulkanError) {
    var block = fm_vk_block()
    let result = fm_vk_create_block(device.raw, UInt64(byteCount), UInt32(type), map, &block)
    guard result == VK_SUCCESS else { throw .call(function: "vkAllocateMemory", code: result.code) }
    buffer = try VulkanHandle(block.buffer, from: "vkCreateBuffer")
    self.device = device
    self.block = block
    self.byteCount = byteCount
    self.heap = heap
  }

  deinit { fm_vk_destroy_block(device.raw, block) }
}

/// Hands out ranges of large blocks, so that a model takes a few hundred allocations and not thousands.
final class VulkanMemory: Sendable {
  struct Allocation: Sendable {
    var block: VulkanMemoryBlock
    var kind: VulkanMemoryKind
    var range: Range<Int>
  }

  private struct Pool {
    var blocks: [(block: VulkanMemoryBlock, free: FreeList)] = []
  }

  private struct State {
    var pools = [Pool](repeating: Pool(), count: VulkanMemoryKind.allCases.count)
    /// Bytes of blocks, by heap.
    var used: [Int]
    var allocationCount = 0
  }

  private let device: VulkanHandle
  private let physical: VulkanHandle
  private let description: VulkanPhysicalDevice
  private let allowedTypes: UInt32
  private let state: Mutex<State>

  init(
    device: VulkanHandle, physical: VulkanHandle, description: VulkanPhysicalDevice
  ) throws(VulkanError) {
    var types: UInt32 = 0
    let result = fm_vk_buffer_types(device.raw, &types)
    guard result == VK_SUCCESS else { throw .call(function: "vkCreateBuffer", code: result.code) }
    allowedTypes = types
    self.device = device
    self.physical = physical
    self.description = description
    state = Mutex(State(used: [Int](repeating: 0, count: description.heaps.count)))
  }

  /// Blocks taken from the driver since the device was opened.
  var allocationCount: Int { state.withLock { $0.allocationCount } }
  /// Bytes of the blocks held now.
  var byteCount: Int { state.withLock { $0.used.reduce(0, +) } }

  /// Gives every block back; no buffer may be alive.
  func removeAll() { state.withLock { $0.pools = [] } }

  func allocate(
    _ bytes: Int, kind: VulkanMemoryKind, purpose: String
  ) throws(VulkanError) -> Allocation {
    guard let size = FreeList.rounded(bytes) else {
      throw .bufferTooLarge(bytes: bytes, limit: bufferLimit, purpose: purpose)
    }
    return try state.withLock { state throws(VulkanError) in
      let pool = kind.rawValue
      for index in state.pools[pool].blocks.indices {
        if let range = state.pools[pool].blocks[index].free.take(size) {
          return Allocation(
            block: state.pools[pool].blocks[index].block, kind: kind, range: range)
        }
      }
      let block = try makeBlock(size, kind: kind, purpose: purpose, state: &state)
      var free = FreeList(capacity: block.byteCount)
      guard let range = free.take(size) else {
        throw .outOfMemory(bytes: size, purpose: purpose, available: free.largestHole)
      }
      state.pools[pool].blocks.append((block, free))
      return Allocation(block: block, kind: kind, range: range)
    }
  }

  func release(_ allocation: Allocation) {
    state.withLock { state in
      let pool = allocation.kind.rawValue
      guard
        let index = state.pools[pool].blocks.firstIndex(where: { $0.block === allocation.block })
      else { return }
      state.pools[pool].blocks[index].free.give(allocation.range)
      guard state.pools[pool].blocks[index].free.isUnused else { return }
      // One empty block a kind stays, so that making and dropping one buffer is cheap.
      let isOrdinary = allocation.block.byteCount <= blockBytes(kind: allocation.kind)
      let hasOtherEmpty = state.pools[pool].blocks.indices.contains {
        $0 != index && state.pools[pool].blocks[$0].free.isUnused
      }
      if isOrdinary, !hasOtherEmpty { return }
      state.used[allocation.block.heap] -= allocation.block.byteCount
      state.pools[pool].blocks.remove(at: index)
    }
  }

  /// Tries the types in order, each with an ordinary block first and then with just what is needed.
  private func makeBlock(
    _ size: Int, kind: VulkanMemoryKind, purpose: String, state: inout State
  ) throws(VulkanError) -> VulkanMemoryBlock {
    guard size <= bufferLimit else {
      throw .bufferTooLarge(bytes: size, limit: bufferLimit, purpose: purpose)
    }
    let ordinary = blockBytes(kind: kind)
    let sizes = size > ordinary / 2 ? [size] : [ordinary, size]
    let heaps = currentHeaps()
    var mostAvailable = 0
    for type in description.memoryTypes(for: kind, allowed: allowedTypes) {
      let heap = description.memoryTypes[type].heap
      let available = availableBytes(heaps[heap], used: state.used[heap])
      mostAvailable = max(mostAvailable, available)
      for bytes in sizes where bytes <= available {
        let map =
          kind.isAlwaysMapped || description.isUnifiedMemory && description.isMappable(type)
        do throws(VulkanError) {
          let block = try VulkanMemoryBlock(
            device: device, byteCount: bytes, type: type, heap: heap, map: map)
          state.used[heap] += bytes
          state.allocationCount += 1
          return block
        } catch {
          // The next size or type may do.
          continue
        }
      }
    }
    throw .outOfMemory(bytes: size, purpose: purpose, available: mostAvailable)
  }

  /// What one more block of a heap may take.
  private func availableBytes(_ heap: VulkanPhysicalDevice.Heap, used: Int) -> Int {
    description.hasBudget
      ? max(0, heap.budgetBytes - heap.usedBytes) : max(0, heap.bytes - used)
  }

  /// What the driver says that this process has of the device's own heaps; nil when it does not tell.
  var usedBytes: Int? {
    guard description.hasBudget else { return nil }
    return currentHeaps().filter(\.isDeviceLocal)
      .reduce(0) { $0.addingReportingOverflow($1.usedBytes).partialValue }
  }

  private func currentHeaps() -> [VulkanPhysicalDevice.Heap] {
    guard description.hasBudget else { return description.heaps }
    var record = fm_vk_record()
    record.has_budget = true
    record.heap_count = UInt32(description.heaps.count)
    fm_vk_refresh_budgets(physical.raw, &record)
    return description.heaps.enumerated().map { index, heap in
      let fresh = withUnsafePointer(to: record) { fm_vk_heap_at($0, UInt32(index)) }
      var heap = heap
      heap.budgetBytes = min(Int(clamping: fresh.budget), heap.bytes)
      heap.usedBytes = min(Int(clamping: fresh.usage), heap.bytes)
      return heap
    }
  }

  /// The size of a block that several buffers share.
  private func blockBytes(kind: VulkanMemoryKind) -> Int {
    let largest = kind == .deviceLocal ? 256 << 20 : 16 << 20
    let heap = description.heaps.filter(\.isDeviceLocal).map(\.bytes).max() ?? largest
    return max(min(largest, heap / 8 / FreeList.alignment * FreeList.alignment), 1 << 20)
  }

  private var bufferLimit: Int {
    description.limits.bufferBytes > 0 ? description.limits.bufferBytes : Int.max
  }
}
