import FMBackend
import FMBackendVulkan

extension Devices {
  /// The back end of a `vulkan:N` selector; `vulkan` alone is the default device.
  ///
  /// Software devices are only taken by their number.
  static func vulkanBackend(_ selector: String) throws(LoadError) -> any Backend {
    do throws(VulkanError) {
      let instance = try VulkanInstance.shared()
      if let index = vulkanIndex(selector, among: instance.physicalDevices) {
        return try VulkanBackend(index: index, instance: instance)
      }
    } catch { throw .deviceUnavailable(selector: selector, reason: "\(error)") }
    throw .unknownDevice(selector: selector, available: all().map(\.selector))
  }

  /// The Vulkan devices that have what kernels need; none where Vulkan does not start.
  static func workingVulkanDevices() -> [DeviceDescription] {
    guard let instance = try? VulkanInstance.shared() else { return [] }
    return instance.physicalDevices.enumerated().filter { $1.missingFeatures.isEmpty }
      .map { VulkanBackend.description($1, index: $0) }
  }

  private static func vulkanIndex(_ selector: String, among devices: [VulkanPhysicalDevice]) -> Int?
  {
    if selector == "vulkan" { return VulkanPhysicalDevice.defaultIndex(devices) }
    guard let number = Int(selector.dropFirst("vulkan:".count)), devices.indices.contains(number)
    else { return nil }
    return number
  }
}
