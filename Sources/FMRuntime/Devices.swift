package import FMBackend
import FMBackendCPU

/// The devices of this machine; the one place that knows which back ends there are.
package enum Devices {
  /// Every device a model can be loaded on, the default first.
  package static func all() -> [DeviceDescription] {
    [CPUBackend().device] + workingVulkanDevices()
  }

  /// The back end a selector names.
  ///
  /// - Throws: ``LoadError/unknownDevice(selector:available:)``.
  package static func backend(
    _ selector: String, threads: Int?
  ) throws(LoadError) -> any Backend {
    switch selector {
    case "cpu": CPUBackend(threads: threads)
    case "reference": ReferenceBackend()
    case _ where selector == "vulkan" || selector.hasPrefix("vulkan:"):
      try vulkanBackend(selector)
    default:
      throw .unknownDevice(selector: selector, available: all().map(\.selector))
    }
  }
}
