/// A device as its driver describes it; a plain value, so that choices can be tested without one.
package struct VulkanPhysicalDevice: Sendable, Hashable {
  /// What the driver calls the device; the order is that of preference.
  package enum Kind: Int, Sendable, Hashable, CaseIterable {
    case discrete, integrated, virtual, other, software
  }

  /// Drivers by VkDriverId, those told apart here.
  package enum Driver: UInt32, Sendable, Hashable {
    case amdProprietary = 1
    case amdOpenSource = 2
    case mesaRADV = 3
    case nvidia = 4
    case intelMesa = 6
    case mesaLLVMpipe = 13
    case mesaDozen = 23
    case mesaNVK = 24
  }

  /// A heap: bytes, and how many of them the driver lets this process have now.
  package struct Heap: Sendable, Hashable {
    package var bytes: Int
    package var budgetBytes: Int
    package var usedBytes: Int
    package var isDeviceLocal: Bool

    package init(bytes: Int, budgetBytes: Int, usedBytes: Int, isDeviceLocal: Bool) {
      self.bytes = bytes
      self.budgetBytes = budgetBytes
      self.usedBytes = usedBytes
      self.isDeviceLocal = isDeviceLocal
    }
  }

  /// A kind of memory of a heap.
  package struct MemoryType: Sendable, Hashable {
    /// `VkMemoryPropertyFlags`.
    package var flags: UInt32
    package var heap: Int

    package init(flags: UInt32, heap: Int) {
      self.flags = flags
      self.heap = heap
    }
  }

  /// A group of queues with the same abilities.
  package struct QueueFamily: Sendable, Hashable {
    /// `VkQueueFlags`.
    package var flags: UInt32
    package var timestampBits: Int

    package init(flags: UInt32, timestampBits: Int) {
      self.flags = flags
      self.timestampBits = timestampBits
    }
  }

  /// Place in the driver's own listing.
  package var enumerationIndex = 0
  package var name = ""
  package var kind = Kind.other
  package var vendorID: UInt32 = 0
  package var deviceID: UInt32 = 0
  package var driverID: UInt32 = 0
  /// The vendor's own packing; ``driverText`` is for people.
  package var driverVersion: UInt32 = 0
  package var driverName = ""
  package var driverText = ""
  package var apiVersion: UInt32 = 0
  /// 16 bytes; the same for one device seen through two drivers.
  package var deviceUUID: [UInt8] = []
  /// 16 bytes; changes with the driver's compiler.
  package var pipelineCacheUUID: [UInt8] = []
  /// `0000:01:00.0`, where the driver tells.
  package var pciAddress: String?
  /// Whether the heaps' budgets are the driver's and not just their sizes.
  package var hasBudget = false
  package var limits = Limits()
  package var features = Features()
  package var subgroup = Subgroup()
  package var heaps: [Heap] = []
  package var memoryTypes: [MemoryType] = []
  package var queueFamilies: [QueueFamily] = []

  /// A description to fill in.
  package init() {}
}

extension VulkanPhysicalDevice {
  /// Sizes and counts; bytes unless the name says otherwise.
  package struct Limits: Sendable, Hashable {
    package var storageBufferRange = 0
    /// Soft on some drivers, which allocate more.
    package var memoryAllocation = 0
    /// Zero where the driver does not tell.
    package var bufferBytes = 0
    package var allocationCount = 0
    package var pushConstantBytes = 0
    package var sharedMemoryBytes = 0
    package var workgroupInvocations = 0
    /// Workgroups in x, y and z.
    package var workgroupCount: [Int] = []
    package var workgroupSize: [Int] = []
    /// Nanoseconds a timestamp tick.
    package var timestampPeriod: Float = 0
  }

  /// What shaders and the host may use; all that is there is switched on.
  package struct Features: Sendable, Hashable {
    package var float16 = false
    package var int8 = false
    package var int16 = false
    package var int64 = false
    package var storage8 = false
    package var storage16 = false
    package var deviceAddress = false
    package var timelineSemaphore = false
    package var scalarLayout = false
    package var integerDotProduct = false
    /// Whether a packed signed 4×8 dot product is one instruction.
    package var integerDotProductAccelerated = false
    package var synchronization2 = false
    package var memoryModel = false
    package var subgroupExtendedTypes = false
  }

  /// Invocations that run together.
  package struct Subgroup: Sendable, Hashable {
    package var size = 0
    package var minimumSize = 0
    package var maximumSize = 0
    /// `VkSubgroupFeatureFlags` in compute shaders.
    package var operations: UInt32 = 0
    /// Whether a pipeline may ask for one of the sizes.
    package var hasSizeControl = false
    package var hasFullSubgroups = false
  }

  /// The driver, when it is one that is told apart.
  package var driver: Driver? { Driver(rawValue: driverID) }

  /// What every kernel needs and this device lacks, by Vulkan's names; empty when it can be used.
  package var missingFeatures: [String] {
    var missing: [String] = []
    func need(_ isThere: Bool, _ name: String) { if !isThere { missing.append(name) } }
    need(apiVersion >= 1 << 22 | 2 << 12, "Vulkan 1.2")
    need(computeFamily != nil, "a compute queue")
    need(features.deviceAddress, "bufferDeviceAddress")
    need(features.timelineSemaphore, "timelineSemaphore")
    // VK_SUBGROUP_FEATURE_BASIC_BIT and VK_SUBGROUP_FEATURE_ARITHMETIC_BIT. Halves and bytes are
    // unpacked from words, so no small types are needed.
    need(subgroup.operations & 5 == 5, "subgroup arithmetic in compute shaders")
    return missing
  }

  /// The most loop iterations an invocation executes, nil where there is no such limit.
  ///
  /// Mesa's software device before release 25 leaves all loops silently after 65,535 iterations,
  /// counted over the whole shader; the limit here keeps a distance.
  package var loopIterationLimit: Int? {
    guard driver == .mesaLLVMpipe else { return nil }
    let version = driverText.split(separator: " ").drop { $0 != "Mesa" }.dropFirst().first
    let major = version.flatMap { Int($0.prefix { $0 != "." }) } ?? 0
    return major < 25 ? 60_000 : nil
  }

  /// Whether the device's memory is the processor's, so that weights need no staging.
  package var isUnifiedMemory: Bool {
    kind == .integrated || kind == .software
      || heaps.allSatisfy(\.isDeviceLocal) && kind != .discrete
  }

  /// Bytes of the heaps that are the device's own.
  package var deviceBytes: Int {
    heaps.filter(\.isDeviceLocal).reduce(0) { $0.addingReportingOverflow($1.bytes).partialValue }
  }

  /// The queue family work is submitted to: one for compute without graphics where there is one.
  package var computeFamily: Int? {
    let able = queueFamilies.indices.filter { queueFamilies[$0].flags & Self.computeFlag != 0 }
    return able.first { queueFamilies[$0].flags & Self.graphicsFlag == 0 } ?? able.first
  }

  /// A family that only copies, where there is one.
  package var transferFamily: Int? {
    queueFamilies.indices.first {
      let flags = queueFamilies[$0].flags
      return flags & Self.transferFlag != 0 && flags & (Self.computeFlag | Self.graphicsFlag) == 0
    }
  }

  private static let graphicsFlag: UInt32 = 1
  private static let computeFlag: UInt32 = 2
  private static let transferFlag: UInt32 = 4
}
