internal import CVulkan
internal import Synchronization

/// An opened device: its queue, memory and pipelines.
///
/// Shared between threads; what is made of it (buffers, commands) belongs to one thread at a time.
/// Once lost it stays lost, and every later call throws the same error.
package final class VulkanDevice: Sendable {
  /// How long a wait may last before the device counts as lost.
  package struct Watchdog: Sendable, Hashable {
    /// One wait, after which the time is looked at.
    package var sliceSeconds: Double
    /// All waits for one submission together.
    package var limitSeconds: Double

    package init(sliceSeconds: Double = 10, limitSeconds: Double = 120) {
      self.sliceSeconds = sliceSeconds
      self.limitSeconds = limitSeconds
    }

    /// What suits a device: a step that a GPU does in a second may take a software device many
    /// minutes, and that one does not hang without its process.
    package init(_ device: VulkanPhysicalDevice) {
      self.init(limitSeconds: device.kind == .software ? 3600 : 120)
    }
  }

  /// What has been done since the device was opened, so that tests can show what is not done again.
  package struct Counters: Sendable, Hashable {
    /// Blocks of memory taken from the driver.
    package var allocations: Int
    package var pipelines: Int
    package var recordings: Int
    package var submissions: Int
  }

  package let physical: VulkanPhysicalDevice
  package let watchdog: Watchdog

  let handle: VulkanHandle
  let memory: VulkanMemory
  let pipelines: VulkanPipelines
  let recordings = Atomic<Int>(0)
  let family: Int

  /// Work on the queue; submissions finish in the order of their values.
  struct Timeline: Sendable {
    /// The value of the last submission.
    var last: UInt64 = 0
    var lost: VulkanError?
  }

  let timeline = Mutex(Timeline())
  let queue: VulkanHandle
  let semaphore: VulkanHandle
  private let instance: VulkanInstance

  /// Opens one of the instance's devices.
  ///
  /// `cacheFolder` keeps compiled pipelines between runs; nil keeps none. Without a `watchdog` the
  /// device has the one that suits its kind.
  /// - Throws: ``VulkanError`` `.unsuitableDevice`, `.deviceCreation` and what failing calls give.
  package init(
    instance: VulkanInstance, physical: VulkanPhysicalDevice, watchdog: Watchdog? = nil,
    cacheFolder: String? = VulkanPipelineCacheFile.defaultFolder
  ) throws(VulkanError) {
    guard physical.missingFeatures.isEmpty, let family = physical.computeFamily else {
      throw .unsuitableDevice(name: physical.name, missing: physical.missingFeatures)
    }
    let opened = try Self.open(
      instance.handle(of: physical), family: family, name: physical.name)
    do throws(VulkanError) {
      memory = try VulkanMemory(
        device: opened.device, physical: instance.handle(of: physical), description: physical)
      pipelines = try VulkanPipelines(
        device: opened.device, description: physical,
        file: cacheFolder.map { VulkanPipelineCacheFile(folder: $0, device: physical) })
    } catch {
      fm_vk_destroy_semaphore(opened.device.raw, opened.semaphore.raw)
      fm_vk_destroy_device(opened.device.raw)
      throw error
    }
    (handle, queue, semaphore) = (opened.device, opened.queue, opened.semaphore)
    self.instance = instance
    self.physical = physical
    self.watchdog = watchdog ?? Watchdog(physical)
    self.family = family
  }

  deinit {
    // A lost device may still be running, and waiting for it or freeing what it uses may never end
    // well; its few objects stay until the process ends.
    guard !isLost else { return }
    _ = fm_vk_wait_idle(handle.raw)
    pipelines.removeAll()
    memory.removeAll()
    fm_vk_destroy_semaphore(handle.raw, semaphore.raw)
    fm_vk_destroy_device(handle.raw)
  }

  private struct Opened {
    var device: VulkanHandle
    var queue: VulkanHandle
    var semaphore: VulkanHandle
  }

  private static func open(
    _ physical: VulkanHandle, family: Int, name: String
  ) throws(VulkanError) -> Opened {
    var record = VulkanPhysicalDevice.record(of: physical)
    var device: VkDevice?
    var queue: VkQueue?
    var result = fm_vk_create_device(physical.raw, &record, UInt32(family), &device, &queue)
    guard result == VK_SUCCESS else { throw .deviceCreation(name: name, code: result.code) }
    let opened = try VulkanHandle(device, from: "vkCreateDevice")
    var semaphore: VkSemaphore?
    result = fm_vk_create_timeline(opened.raw, &semaphore)
    guard result == VK_SUCCESS, let queue, let semaphore else {
      fm_vk_destroy_device(opened.raw)
      throw .call(function: "vkCreateSemaphore", code: result.code)
    }
    return Opened(
      device: opened, queue: VulkanHandle(queue), semaphore: VulkanHandle(semaphore))
  }

  /// A snapshot of the counters.
  package var counters: Counters {
    Counters(
      allocations: memory.allocationCount, pipelines: pipelines.count,
      recordings: recordings.load(ordering: .relaxed),
      submissions: timeline.withLock { Int(clamping: $0.last) })
  }

  /// Bytes of memory held from the driver now.
  package var allocatedBytes: Int { memory.byteCount }

  /// Makes a buffer; `purpose` appears in errors only.
  ///
  /// - Throws: ``VulkanError`` `.outOfMemory` and `.bufferTooLarge` with sizes, `.deviceLost`.
  package func makeBuffer(
    bytes: Int, kind: VulkanMemoryKind, purpose: String
  ) throws(VulkanError) -> VulkanBuffer {
    precondition(bytes >= 0, "a buffer of a negative size")
    try checkAlive()
    let allocation = try memory.allocate(bytes, kind: kind, purpose: purpose)
    return VulkanBuffer(self, allocation: allocation, byteCount: bytes)
  }

  /// The pipeline of a shader variant, made at the first call with these arguments.
  ///
  /// `constants[i]` is the specialization constant `i`, by convention 0 the workgroup's width.
  /// `pushBytes` is the size of the push constants, a multiple of 4. A `subgroupSize` is asked for
  /// where the device lets pipelines choose; `fullSubgroups` makes every subgroup whole and needs a
  /// workgroup width that is a multiple of the largest subgroup size.
  /// - Throws: ``VulkanError`` `.unknownShader`, `.pipelineCreation`, `.subgroupSize`,
  ///   `.pushConstants`, `.deviceLost`.
  package func pipeline(
    _ shader: String, constants: [UInt32] = [], pushBytes: Int, subgroupSize: Int? = nil,
    fullSubgroups: Bool = false
  ) throws(VulkanError) -> VulkanPipeline {
    try checkAlive()
    return try pipelines.pipeline(
      VulkanPipeline.Key(
        shader: shader, constants: constants, pushBytes: pushBytes, subgroupSize: subgroupSize,
        fullSubgroups: fullSubgroups))
  }

  /// Writes what pipelines the driver compiled to the cache folder, for the next run.
  ///
  /// Failures to write are not errors: the next run compiles again.
  package func savePipelineCache() { pipelines.save() }
}
