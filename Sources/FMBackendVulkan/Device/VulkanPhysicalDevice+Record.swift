internal import CVulkan

extension VulkanPhysicalDevice {
  /// Asks the driver about a device.
  init(_ device: VulkanHandle, enumerationIndex: Int) {
    let record = Self.record(of: device)
    self.init()
    self.enumerationIndex = enumerationIndex
    describe(record)
    describeFeatures(record)
    describeArrays(record)
  }

  /// The flattened description, as ``VulkanDevice`` needs it to open the device.
  static func record(of device: VulkanHandle) -> fm_vk_record {
    var record = fm_vk_record()
    fm_vk_describe(device.raw, &record)
    return record
  }

  private mutating func describe(_ record: fm_vk_record) {
    withUnsafePointer(to: record) { pointer in
      name = String(cString: fm_vk_name(pointer))
      driverName = String(cString: fm_vk_driver_name(pointer))
      driverText = String(cString: fm_vk_driver_text(pointer))
    }
    kind =
      switch VkPhysicalDeviceType(record.type) {
      case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: .discrete
      case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: .integrated
      case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: .virtual
      case VK_PHYSICAL_DEVICE_TYPE_CPU: .software
      default: .other
      }
    vendorID = record.vendor_id
    deviceID = record.device_id
    driverID = record.driver_id
    driverVersion = record.driver_version
    apiVersion = record.api_version
    deviceUUID = withUnsafeBytes(of: record.device_uuid) { Array($0) }
    pipelineCacheUUID = withUnsafeBytes(of: record.pipeline_cache_uuid) { Array($0) }
    if record.has_pci {
      let parts = [(record.pci_domain, 4), (record.pci_bus, 2), (record.pci_device, 2)]
        .map { Self.hexadecimal($0.0, digits: $0.1) }
      pciAddress = parts.joined(separator: ":") + ".\(record.pci_function)"
    }
    hasBudget = record.has_budget
    limits = Limits(
      storageBufferRange: Int(clamping: record.max_storage_buffer_range),
      memoryAllocation: Int(clamping: record.max_memory_allocation),
      bufferBytes: Int(clamping: record.max_buffer_size),
      allocationCount: Int(record.max_allocations),
      pushConstantBytes: Int(record.max_push_constants),
      sharedMemoryBytes: Int(record.max_shared_memory),
      workgroupInvocations: Int(record.max_workgroup_invocations),
      workgroupCount: Self.array(record.max_workgroup_count),
      workgroupSize: Self.array(record.max_workgroup_size),
      timestampPeriod: record.timestamp_period)
  }

  private mutating func describeFeatures(_ record: fm_vk_record) {
    features = Features(
      float16: record.float16, int8: record.int8, int16: record.int16, int64: record.int64,
      storage8: record.storage8, storage16: record.storage16,
      deviceAddress: record.device_address, timelineSemaphore: record.timeline,
      scalarLayout: record.scalar_layout, integerDotProduct: record.integer_dot,
      integerDotProductAccelerated: record.integer_dot_accelerated,
      synchronization2: record.synchronization2, memoryModel: record.memory_model,
      subgroupExtendedTypes: record.subgroup_extended_types)
    subgroup = Subgroup(
      size: Int(record.subgroup_size), minimumSize: Int(record.min_subgroup_size),
      maximumSize: Int(record.max_subgroup_size),
      operations: record.subgroup_in_compute ? record.subgroup_operations : 0,
      hasSizeControl: record.subgroup_size_control && record.required_subgroup_size,
      hasFullSubgroups: record.full_subgroups)
  }

  private mutating func describeArrays(_ record: fm_vk_record) {
    withUnsafePointer(to: record) { pointer in
      heaps = (0..<record.heap_count).map { Heap(fm_vk_heap_at(pointer, $0)) }
      memoryTypes = (0..<record.type_count).map {
        let type = fm_vk_type_at(pointer, $0)
        return MemoryType(flags: type.flags, heap: Int(type.heap))
      }
      queueFamilies = (0..<record.family_count).map {
        let family = fm_vk_family_at(pointer, $0)
        return QueueFamily(flags: family.flags, timestampBits: Int(family.timestamp_bits))
      }
    }
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private static func array(_ values: (UInt32, UInt32, UInt32)) -> [Int] {
    [Int(values.0), Int(values.1), Int(values.2)]
  }
}

extension VulkanPhysicalDevice.Heap {
  /// Clamps what drivers say: budgets beyond a heap and use beyond a budget have been seen.
  init(_ heap: fm_vk_heap) {
    bytes = Int(clamping: heap.size)
    budgetBytes = min(Int(clamping: heap.budget), bytes)
    usedBytes = min(Int(clamping: heap.usage), bytes)
    isDeviceLocal = heap.is_device_local
  }
}
