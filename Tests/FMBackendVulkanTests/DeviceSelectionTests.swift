import FMBackendVulkan
import Testing

/// Which devices are listed, in what order, and which is taken, on made-up ones.
@Suite struct DeviceSelectionTests {
  private func device(
    _ name: String, _ kind: VulkanPhysicalDevice.Kind, uuid: UInt8 = 0, driver: UInt32 = 0,
    isUsable: Bool = true
  ) -> VulkanPhysicalDevice {
    var device = VulkanPhysicalDevice()
    device.name = name
    device.kind = kind
    device.driverID = driver
    device.deviceUUID = [UInt8](repeating: uuid, count: 16)
    device.apiVersion = 1 << 22 | 3 << 12
    device.queueFamilies = [.init(flags: 7, timestampBits: 64)]
    device.features.deviceAddress = isUsable
    device.features.timelineSemaphore = true
    device.subgroup.operations = 5
    return device
  }

  private func names(_ devices: [VulkanPhysicalDevice]) -> [String] {
    VulkanPhysicalDevice.listed(devices).map(\.name)
  }

  @Test func `cards come first and software last, each kind in the drivers' order`() {
    let devices = [
      device("llvmpipe", .software), device("b", .integrated), device("x", .other),
      device("c", .discrete), device("v", .virtual), device("a", .discrete),
    ]
    #expect(names(devices) == ["c", "a", "b", "v", "x", "llvmpipe"])
  }

  @Test func `one device seen through two drivers is listed with the better one`() {
    let pairs: [(UInt32, UInt32)] = [(2, 3), (1, 3), (24, 4), (23, 4), (23, 3)]
    for (worse, better) in pairs {
      let first = device("worse", .discrete, uuid: 9, driver: worse)
      let second = device("better", .discrete, uuid: 9, driver: better)
      #expect(names([first, second]) == ["better"])
      #expect(names([second, first]) == ["better"])
    }
  }

  @Test func `the place on the bus tells twins with different identifiers`() {
    var first = device("NVK", .discrete, uuid: 1, driver: 24)
    var second = device("NVIDIA", .discrete, uuid: 2, driver: 4)
    first.pciAddress = "0000:01:00.0"
    second.pciAddress = "0000:01:00.0"
    #expect(names([first, second]) == ["NVIDIA"])
    second.pciAddress = "0000:02:00.0"
    #expect(names([first, second]) == ["NVK", "NVIDIA"])
  }

  @Test func `devices without identifiers are all listed`() {
    #expect(names([device("a", .discrete), device("b", .discrete)]) == ["a", "b"])
  }

  @Test func `the default is usable hardware, never software`() {
    let soft = device("soft", .software)
    let old = device("old", .discrete, isUsable: false)
    let small = device("small", .integrated)
    #expect(VulkanPhysicalDevice.defaultIndex([soft]) == nil)
    #expect(VulkanPhysicalDevice.defaultIndex([]) == nil)
    #expect(VulkanPhysicalDevice.defaultIndex([old, small, soft]) == 1)
    #expect(VulkanPhysicalDevice.defaultIndex([old, soft]) == nil)
  }

  @Test func `what is missing has Vulkan's names`() {
    #expect(device("full", .discrete).missingFeatures.isEmpty)
    #expect(
      device("part", .discrete, isUsable: false).missingFeatures == ["bufferDeviceAddress"])
    #expect(VulkanPhysicalDevice().missingFeatures.count == 5)
  }

  @Test func `a queue for compute alone is preferred, one for copies remembered`() {
    var card = device("card", .discrete)
    card.queueFamilies = [
      .init(flags: 7, timestampBits: 64), .init(flags: 4, timestampBits: 0),
      .init(flags: 6, timestampBits: 64),
    ]
    #expect(card.computeFamily == 2)
    #expect(card.transferFamily == 1)
    card.queueFamilies = [.init(flags: 1, timestampBits: 0)]
    #expect(card.computeFamily == nil)
    #expect(card.transferFamily == nil)
  }

  @Test func `only the software device of old Mesa releases limits loops`() {
    for (text, limit) in [
      ("Mesa 22.3.6 (LLVM 15.0.6)", 60_000), ("Mesa 25.0.7-2 (LLVM 15.0.6)", nil),
      ("Mesa 9.9", 60_000), ("", 60_000), ("nothing known", 60_000),
    ] as [(String, Int?)] {
      var device = device("soft", .software, driver: 13)
      device.driverText = text
      #expect(device.loopIterationLimit == limit, "\(text)")
    }
    #expect(device("card", .discrete, driver: 4).loopIterationLimit == nil)
  }

  @Test func `software devices may take longer for a step than others`() {
    let limits = [VulkanPhysicalDevice.Kind.discrete, .integrated, .software].map {
      VulkanDevice.Watchdog(device("any", $0)).limitSeconds
    }
    #expect(limits == [120, 120, 3600])
  }
}
