package import FMBackend
package import FMCore

/// A Vulkan device as a back end.
///
/// The device is opened when the first executor is made and shared by all of them.
package final class VulkanBackend: Backend {
  package let device: DeviceDescription
  /// The paths executors take.
  package let options: VulkanOptions
  let vulkan: VulkanDevice

  /// Opens device `index` of the listed ones (``VulkanInstance/physicalDevices``).
  package init(
    index: Int, instance: VulkanInstance, options: VulkanOptions = VulkanOptions()
  ) throws(VulkanError) {
    let physical = instance.physicalDevices[index]
    vulkan = try VulkanDevice(instance: instance, physical: physical)
    device = Self.description(physical, index: index)
    self.options = options
  }

  /// The use of the device's own heaps, from `VK_EXT_memory_budget`; nil for drivers without it.
  package var usedMemoryBytes: Int? { vulkan.memory.usedBytes }

  /// A back end on a device that is open already.
  package init(_ vulkan: VulkanDevice, index: Int = 0, options: VulkanOptions = VulkanOptions()) {
    self.vulkan = vulkan
    device = Self.description(vulkan.physical, index: index)
    self.options = options
  }

  /// The same device with other paths.
  package func with(_ options: VulkanOptions) -> VulkanBackend {
    VulkanBackend(vulkan, description: device, options: options)
  }

  private init(_ vulkan: VulkanDevice, description: DeviceDescription, options: VulkanOptions) {
    self.vulkan = vulkan
    device = description
    self.options = options
  }

  /// What tells a device with its driver apart from every other: results of self-tests are kept by
  /// it.
  package var identity: String {
    let physical = vulkan.physical
    let uuid = physical.deviceUUID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(physical.vendorID):\(physical.deviceID):\(physical.driverVersion):\(uuid)"
  }

  /// What a listed device is called and what it is.
  package static func description(
    _ physical: VulkanPhysicalDevice, index: Int
  ) -> DeviceDescription {
    let kind: DeviceDescription.Kind =
      switch physical.kind {
      case .discrete, .virtual: .discreteGPU
      case .integrated, .other: .integratedGPU
      case .software: .softwareGPU
      }
    return DeviceDescription(
      selector: "vulkan:\(index)", name: physical.name, kind: kind,
      details: [physical.driverName, physical.driverText].filter { !$0.isEmpty }
        + ["Vulkan \(version(physical.apiVersion))"])
  }

  /// `1.3.230` of Vulkan's packed form.
  private static func version(_ packed: UInt32) -> String {
    "\(packed >> 22 & 0x7F).\(packed >> 12 & 0x3FF).\(packed & 0xFFF)"
  }

  /// Refuses what ``Program/validate()`` refuses and shapes without a kernel.
  package func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
    guard elementTypes.count == program.weights.count else {
      return "\(elementTypes.count) element types for \(program.weights.count) weights"
    }
    return Self.unsupported(program, types: elementTypes, kv: .f16)
  }

  /// Says why a program cannot run, with its stored types and the cache's element type.
  static func unsupported(
    _ program: Program, types: [ElementType], kv: ExecutorConfiguration.KVElement
  ) -> String? {
    do throws(ProgramError) { try program.validate() } catch { return "\(error)" }
    for (spec, type) in zip(program.weights, types) {
      let units = spec.rows * type.units(columns: spec.columns)
      // Shaders count words in 32 bits.
      if units > Int(UInt32.max) / 36 { return "'\(spec.name)' has more than 2^32 words" }
    }
    for group in program.kv.groups {
      if group.headWidth % 4 != 0 || group.headWidth > 256 {
        return "heads of \(group.headWidth): whole fours up to 256 have kernels"
      }
      if kv == .q8_0, group.headWidth % 32 != 0 {
        return "a q8_0 cache needs heads of whole 32s, these have \(group.headWidth)"
      }
    }
    for case .rope(let rope) in program.ops where rope.headWidth > 4096 {
      return "rotated heads of \(rope.headWidth): 4096 is the most"
    }
    return nil
  }

  /// Makes a ``VulkanExecutor``.
  package func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor {
    try VulkanExecutor(
      program: program, weights: weights, configuration: configuration, device: vulkan,
      options: options)
  }
}
