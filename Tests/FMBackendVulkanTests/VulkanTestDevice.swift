import FMBackendVulkan
import Foundation
import Testing

/// The device the tests run on: the best of the machine, the software device where there is no other.
enum VulkanTestDevice {
  /// Opened once; the tests share it, and none of them loses it.
  static let shared: Result<VulkanDevice, VulkanError> = {
    do throws(VulkanError) { return .success(try open()) } catch { return .failure(error) }
  }()

  static var isThere: Bool { if case .success = shared { true } else { false } }

  /// Why tests on a device are skipped.
  static var absence: Comment {
    switch shared {
    case .success: "there is a device"
    case .failure(let error): Comment(rawValue: "no Vulkan device: \(error)")
    }
  }

  /// A device of a test's own, for what must not be shared.
  static func open(
    watchdog: VulkanDevice.Watchdog = .init(), cacheFolder: String? = nil
  ) throws(VulkanError) -> VulkanDevice {
    let instance = try VulkanInstance.shared()
    let devices = instance.physicalDevices
    guard
      let chosen = VulkanPhysicalDevice.defaultIndex(devices)
        ?? devices.firstIndex(where: { $0.missingFeatures.isEmpty })
    else { throw .noDevices }
    return try VulkanDevice(
      instance: instance, physical: devices[chosen], watchdog: watchdog, cacheFolder: cacheFolder)
  }
}

extension VulkanBuffer {
  /// Writes floats through the mapping.
  func write(_ values: [Float]) throws {
    let target = try #require(mapped)
    values.withUnsafeBytes { target.copyMemory(from: $0) }
  }

  /// The floats of a mapped buffer.
  func floats(_ count: Int) throws -> [Float] {
    let source = try #require(mapped)
    return Array(UnsafeRawBufferPointer(source).bindMemory(to: Float.self).prefix(count))
  }
}

/// The shader that adds two vectors, for tests of what is around a dispatch.
enum AddKernel {
  static let shader = "elementwise"
  /// Workgroup width, operation, activation.
  static let constants: [UInt32] = [64, 0, 0]
  static let pushBytes = 52

  static func pipeline(on device: VulkanDevice) throws(VulkanError) -> VulkanPipeline {
    try device.pipeline(shader, constants: constants, pushBytes: pushBytes)
  }

  /// Adds a dispatch of `sum = left + right`.
  static func dispatch(
    _ pipeline: VulkanPipeline, _ left: VulkanBuffer, _ right: VulkanBuffer,
    _ sum: VulkanBuffer, count: Int, in recorder: VulkanRecorder
  ) throws(VulkanError) {
    try recorder.dispatch(pipeline, (count + 63) / 64) { push in
      for buffer in [left, right, sum, left] { push.address(buffer) }
      for _ in 0..<4 { push.word(UInt32(count)) }
      push.float(0)
    }
  }
}
