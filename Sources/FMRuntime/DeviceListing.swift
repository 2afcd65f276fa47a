package import FMBackend
import FMBackendCPU
package import FMBackendVulkan
import Glibc

/// A device as it is listed for people: what it is called, how much memory it has, whether it works.
package struct DeviceListing: Sendable, Hashable {
  package var device: DeviceDescription
  /// Its own memory, or the machine's for a processor.
  package var memoryBytes: Int?
  /// Driver and its version; empty for a processor.
  package var driver: String
  /// Place on the bus, where the driver tells.
  package var pciAddress: String?
  /// Why it cannot be used; nil when it can.
  package var problem: String?
  /// Whether models run here when no device is named.
  package var isDefault: Bool

  /// Lists a processor.
  package init(processor device: DeviceDescription, memoryBytes: Int?, isDefault: Bool) {
    self.device = device
    self.memoryBytes = memoryBytes
    self.isDefault = isDefault
    driver = ""
  }

  /// Lists a Vulkan device by its place among the listed ones.
  package init(_ physical: VulkanPhysicalDevice, index: Int, isDefault: Bool) {
    device = VulkanBackend.description(physical, index: index)
    memoryBytes = physical.deviceBytes
    driver = [physical.driverName, physical.driverText].filter { !$0.isEmpty }
      .joined(separator: " ")
    pciAddress = physical.pciAddress
    let missing = physical.missingFeatures
    problem = missing.isEmpty ? nil : "lacks \(missing.joined(separator: ", "))"
    self.isDefault = isDefault
  }
}

extension DeviceListing {
  /// What `--device` takes.
  package var selector: String { device.selector }
  package var name: String { device.name }
  /// The kind as programs read it: `cpu`, `discreteGPU`, `integratedGPU`, `softwareGPU`.
  package var kindName: String { device.kind.rawValue }
  /// Whether it is a GPU in name only.
  package var isSoftware: Bool { device.kind == .softwareGPU }
  package var details: [String] { device.details }

  /// The kind as people read it.
  package var kindText: String {
    switch device.kind {
    case .cpu: "processor"
    case .discreteGPU: "GPU"
    case .integratedGPU: "integrated GPU"
    case .softwareGPU: "software"
    case .reference: "reference"
    case .server: "server"
    }
  }
}

extension Devices {
  /// Every device of the machine, the processor first, then the Vulkan devices in their order.
  ///
  /// `vulkan` is what the drivers showed; where Vulkan does not start there are none.
  package static func listings(
    _ vulkan: Result<[VulkanPhysicalDevice], VulkanError> = vulkanDevices()
  ) -> [DeviceListing] {
    let chosen = LoadOptions().device
    let processor = CPUBackend().device
    let found = (try? vulkan.get()) ?? []
    return [
      DeviceListing(
        processor: processor, memoryBytes: machineBytes,
        isDefault: chosen == processor.selector)
    ]
      + found.enumerated().map { index, physical in
        DeviceListing(physical, index: index, isDefault: chosen == "vulkan:\(index)")
      }
  }

  /// What the Vulkan drivers show, or why Vulkan does not start.
  package static func vulkanDevices() -> Result<[VulkanPhysicalDevice], VulkanError> {
    do throws(VulkanError) {
      return .success(try VulkanInstance.shared().physicalDevices)
    } catch {
      return .failure(error)
    }
  }

  /// What the loader and drivers say while Vulkan starts, for a diagnosis.
  ///
  /// Starts it once more: the first start may have been long ago, or have failed.
  package static func vulkanMessages() -> [String] {
    let log = VulkanMessageLog()
    do throws(VulkanError) { _ = try VulkanInstance(log: log) } catch {
      return log.messages.map(\.text)
    }
    return log.messages.map(\.text)
  }

  private static var machineBytes: Int? {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    return pages > 0 && size > 0 ? pages * size : nil
  }
}
