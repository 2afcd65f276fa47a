import FMBackend
import FMBackendVulkan
import Foundation
import Testing

/// Starting Vulkan, with and without what it needs.
@Suite struct DeviceInstanceTests {
  @Test func `a missing loader is told apart, with what to install`() throws {
    let path = "/nonexistent/libvulkan.so.1"
    let failure = try #require(throws: VulkanError.self) {
      _ = try VulkanInstance(loaderPath: path)
    }
    guard case .loaderMissing(path, let reason) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(!reason.isEmpty)
    let error = VulkanError.loaderMissing(path: path, reason: "gone")
    #expect("\(error)".contains("hint: apt install libvulkan1"))
  }

  @Test func `a file that is no loader is refused`() async throws {
    let library = try #require(Self.anyLibrary, "no shared library found to try")
    // Once a loader is in use another path only has to open, so this runs in a process of its own.
    await #expect(processExitsWith: .success) { [library = library as String] in
      let text = Self.failure(loaderPath: library)
      exit(text.contains("vkGetInstanceProcAddr") ? 0 : 1)
    }
  }

  private static func failure(loaderPath: String) -> String {
    do throws(VulkanError) {
      _ = try VulkanInstance(loaderPath: loaderPath)
      return "started"
    } catch { return "\(error)" }
  }

  private static let anyLibrary: String? = [
    "/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6",
  ].first { FileManager.default.fileExists(atPath: $0) }

  @Test(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
  func `listed devices describe themselves`() throws {
    for device in try VulkanInstance.shared().physicalDevices {
      #expect(!device.name.isEmpty)
      #expect(device.apiVersion >> 22 == 1)
      #expect(!device.heaps.isEmpty)
      #expect(!device.memoryTypes.isEmpty)
      #expect(!device.queueFamilies.isEmpty)
      #expect(device.deviceUUID.count == 16)
      #expect(device.limits.workgroupInvocations >= 128)
      #expect(device.limits.pushConstantBytes >= 128)
      #expect(device.subgroup.size > 0 || device.apiVersion < 1 << 22 | 2 << 12)
    }
  }

  @Test(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
  func `a device without the features is refused with their names`() throws {
    let instance = try VulkanInstance.shared()
    var device = try #require(instance.physicalDevices.first)
    device.features.deviceAddress = false
    device.subgroup.operations = 0
    #expect(
      throws: VulkanError.unsuitableDevice(
        name: device.name, missing: device.missingFeatures)
    ) { _ = try VulkanDevice(instance: instance, physical: device) }
    #expect(device.missingFeatures.contains("subgroup arithmetic in compute shaders"))
  }

  @Test func `errors become the back end's with their facts`() {
    #expect(
      VulkanError.outOfMemory(bytes: 10, purpose: "weights", available: 5).backendError
        == .outOfMemory(bytes: 10, purpose: "weights"))
    #expect(
      VulkanError.deviceLost(label: "decode", reason: "gone").backendError
        == .deviceLost("decode: gone"))
    guard case .unsupported = VulkanError.noDevices.backendError else {
      Issue.record("expected unsupported")
      return
    }
  }
}
