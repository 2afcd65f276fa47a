import FMBackend
import FMBackendVulkan
import FMRuntime
import Testing

/// What is listed of made-up devices.
@Suite struct DeviceListingTests {
  private func device(
    _ kind: VulkanPhysicalDevice.Kind, isUsable: Bool = true
  ) -> VulkanPhysicalDevice {
    var device = VulkanPhysicalDevice()
    device.name = "Card"
    device.kind = kind
    device.driverName = "driver"
    device.driverText = "1.2"
    device.pciAddress = "0000:01:00.0"
    device.heaps = [
      .init(bytes: 8 << 30, budgetBytes: 8 << 30, usedBytes: 0, isDeviceLocal: true),
      .init(bytes: 16 << 30, budgetBytes: 16 << 30, usedBytes: 0, isDeviceLocal: false),
    ]
    device.apiVersion = 1 << 22 | 3 << 12
    device.queueFamilies = [.init(flags: 7, timestampBits: 64)]
    device.features.deviceAddress = true
    device.features.timelineSemaphore = isUsable
    device.subgroup.operations = 5
    return device
  }

  @Test func `the processor comes first and is the default`() {
    let listings = Devices.listings(.success([device(.discrete), device(.software)]))
    #expect(listings.map(\.device.selector) == ["cpu", "vulkan:0", "vulkan:1"])
    #expect(listings.map(\.isDefault) == [true, false, false])
    #expect(listings.map(\.device.kind) == [.cpu, .discreteGPU, .softwareGPU])
    #expect((listings[0].memoryBytes ?? 0) > 0)
  }

  @Test func `a device tells its own memory, its driver and what it lacks`() {
    let listings = Devices.listings(.success([device(.discrete, isUsable: false)]))
    #expect(listings[1].memoryBytes == 8 << 30)
    #expect(listings[1].driver == "driver 1.2")
    #expect(listings[1].pciAddress == "0000:01:00.0")
    #expect(listings[1].problem == "lacks timelineSemaphore")
  }

  @Test func `without Vulkan the processor is left`() {
    let listings = Devices.listings(.failure(.noDevices))
    #expect(listings.map(\.device.selector) == ["cpu"])
  }

  @Test func `vulkan alone is the best hardware, and software only by number`() throws {
    let software = device(.software)
    let both = [device(.discrete, isUsable: false), device(.integrated), software]
    #expect(try Devices.vulkanIndex("vulkan", among: both) == 1)
    #expect(try Devices.vulkanIndex("vulkan:2", among: both) == 2)
    let alone = #expect(throws: LoadError.self) {
      try Devices.vulkanIndex("vulkan", among: [device(.discrete, isUsable: false), software])
    }
    #expect(alone.map { "\($0)".hasSuffix("only taken by its number, vulkan:1") } ?? false)
    let none = #expect(throws: LoadError.self) { try Devices.vulkanIndex("vulkan", among: []) }
    #expect(none.map { "\($0)".contains("fm devices --diagnose") } ?? false)
  }

  @Test(arguments: ["vulkan:", "vulkan:-1", "vulkan:+0", "vulkan:00", "vulkan:1", "vulkan:9e9"])
  func `a number that is not listed names the devices there are`(selector: String) {
    #expect(throws: LoadError.unknownDevice(selector: selector, available: ["cpu", "vulkan:0"])) {
      try Devices.vulkanIndex(selector, among: [device(.software)])
    }
  }
}
