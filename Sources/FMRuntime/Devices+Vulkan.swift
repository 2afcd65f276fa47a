import FMBackend
package import FMBackendVulkan

extension Devices {
  /// The back end of a `vulkan:N` selector; `vulkan` alone is the default device.
  ///
  /// Software devices are only taken by their number.
  static func vulkanBackend(_ selector: String) throws(LoadError) -> any Backend {
    let instance: VulkanInstance
    do throws(VulkanError) { instance = try VulkanInstance.shared() } catch {
      throw .deviceUnavailable(selector: selector, reason: "\(error)")
    }
    let index = try vulkanIndex(selector, among: instance.physicalDevices)
    do throws(VulkanError) { return try VulkanBackend(index: index, instance: instance) } catch {
      throw .deviceUnavailable(selector: selector, reason: "\(error)")
    }
  }

  /// The Vulkan devices that have what kernels need; none where Vulkan does not start.
  static func workingVulkanDevices() -> [DeviceDescription] {
    guard let instance = try? VulkanInstance.shared() else { return [] }
    return instance.physicalDevices.enumerated().filter { $1.missingFeatures.isEmpty }
      .map { VulkanBackend.description($1, index: $0) }
  }

  /// The place of a selector's device among the listed ones.
  ///
  /// - Throws: ``LoadError/unknownDevice(selector:available:)``, or for `vulkan` alone
  ///   ``LoadError/deviceUnavailable(selector:reason:)`` where no hardware can be taken.
  package static func vulkanIndex(
    _ selector: String, among devices: [VulkanPhysicalDevice]
  ) throws(LoadError) -> Int {
    if selector == "vulkan" {
      if let index = VulkanPhysicalDevice.defaultIndex(devices) { return index }
      throw .deviceUnavailable(selector: selector, reason: noHardware(devices))
    }
    for index in devices.indices where selector == "vulkan:\(index)" { return index }
    throw .unknownDevice(
      selector: selector,
      available: ["cpu"]
        + devices.indices.filter { devices[$0].missingFeatures.isEmpty }.map { "vulkan:\($0)" })
  }

  private static func noHardware(_ devices: [VulkanPhysicalDevice]) -> String {
    let software = devices.firstIndex { $0.kind == .software && $0.missingFeatures.isEmpty }
    return "Vulkan shows no hardware device that kernels can run on\nhint: "
      + (software.map { "the software device is only taken by its number, vulkan:\($0)" }
        ?? "`fm devices --diagnose` shows what was looked for")
  }
}
