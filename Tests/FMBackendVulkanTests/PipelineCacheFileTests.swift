import FMBackendVulkan
import Foundation
import Testing

/// Compiled pipelines on disk.
@Suite struct PipelineCacheFileTests {
  private static func device() -> VulkanPhysicalDevice {
    var device = VulkanPhysicalDevice()
    device.vendorID = 0x10DE
    device.deviceID = 0x2335
    device.driverVersion = 7
    device.pipelineCacheUUID = (0..<16).map { $0 + 100 }
    return device
  }

  /// A driver's bytes: the header that Vulkan prescribes, then anything.
  private static func payload(_ device: VulkanPhysicalDevice, bytes: Int = 500) -> [UInt8] {
    var result: [UInt8] = [32, 0, 0, 0, 1, 0, 0, 0]
    for number in [device.vendorID, device.deviceID] {
      withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) }
    }
    return result + device.pipelineCacheUUID + (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "pipelines-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func `what was written is read`() throws {
    try withFolder { folder in
      let file = VulkanPipelineCacheFile(folder: folder, device: Self.device())
      #expect(file.read() == nil)
      let bytes = Self.payload(Self.device())
      file.write(bytes)
      #expect(file.read() == bytes)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/vulkan")
      #expect(names.count == 1)
    }
  }

  @Test func `another device or driver has another file, and refuses this one's`() throws {
    try withFolder { folder in
      let device = Self.device()
      let file = VulkanPipelineCacheFile(folder: folder, device: device)
      file.write(Self.payload(device))
      let changes: [(inout VulkanPhysicalDevice) -> Void] = [
        { $0.vendorID += 1 }, { $0.deviceID += 1 }, { $0.driverVersion += 1 },
        { $0.pipelineCacheUUID[15] ^= 1 },
      ]
      for change in changes {
        var other = device
        change(&other)
        let otherFile = VulkanPipelineCacheFile(folder: folder, device: other)
        #expect(otherFile.path != file.path)
        #expect(otherFile.read() == nil)
        try FileManager.default.copyItem(atPath: file.path, toPath: otherFile.path)
        #expect(otherFile.read() == nil)
      }
    }
  }

  @Test func `a file with any byte changed or cut off is ignored`() throws {
    try withFolder { folder in
      let file = VulkanPipelineCacheFile(folder: folder, device: Self.device())
      file.write(Self.payload(Self.device(), bytes: 40))
      let whole = try Data(contentsOf: URL(filePath: file.path))
      for index in whole.indices {
        var changed = whole
        changed[index] ^= 0x20
        try changed.write(to: URL(filePath: file.path))
        #expect(file.read() == nil, "byte \(index)")
      }
      for count in [0, 1, 8, whole.count / 2, whole.count - 1] {
        try whole.prefix(count).write(to: URL(filePath: file.path))
        #expect(file.read() == nil, "\(count) bytes")
      }
    }
  }

  @Test func `bytes whose own header is of another device are ignored`() throws {
    try withFolder { folder in
      let file = VulkanPipelineCacheFile(folder: folder, device: Self.device())
      var other = Self.device()
      other.vendorID = 1
      for bytes in [Self.payload(other), [1, 2, 3], [UInt8](repeating: 0, count: 64)] {
        file.write(bytes)
        #expect(file.read() == nil)
      }
    }
  }

  @Test func `a folder that cannot be made is no error`() {
    let file = VulkanPipelineCacheFile(folder: "/proc/none", device: Self.device())
    file.write(Self.payload(Self.device()))
    #expect(file.read() == nil)
  }
}
