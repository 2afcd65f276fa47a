internal import CVulkan
package import FMBackend

/// What can go wrong between this package and a Vulkan driver.
package enum VulkanError: Error, Equatable, Sendable {
  /// There is no Vulkan loader; `reason` is the dynamic linker's.
  case loaderMissing(path: String, reason: String)
  /// The loader found no driver that works.
  case noDriver(code: Int32)
  /// The instance could not be made for another reason.
  case instanceCreation(code: Int32)
  /// The drivers show no device.
  case noDevices
  /// The device lacks what every kernel needs.
  case unsuitableDevice(name: String, missing: [String])
  case deviceCreation(name: String, code: Int32)
  /// Memory could not be had; `available` is what the driver says is left.
  case outOfMemory(bytes: Int, purpose: String, available: Int)
  /// One buffer would be larger than the device allows.
  case bufferTooLarge(bytes: Int, limit: Int, purpose: String)
  /// A copy, fill or upload leaves a buffer, or is not a multiple of four bytes where it must be.
  case invalidRange(operation: String, offset: Int, bytes: Int, bufferBytes: Int)
  /// The shader library has no such variant.
  case unknownShader(name: String)
  case pipelineCreation(shader: String, code: Int32)
  /// The subgroup size cannot be had on this device.
  case subgroupSize(shader: String, size: Int, allowed: ClosedRange<Int>)
  /// The bytes pushed are not the bytes the pipeline was made for, or more than the device takes.
  case pushConstants(shader: String, expected: Int, found: Int)
  /// A grid with a dimension of zero or beyond the portable limit.
  case grid(shader: String, groups: [Int], limit: Int)
  /// More loop iterations in an invocation than this driver executes.
  case loopTooLong(shader: String, iterations: Int, limit: Int)
  /// A kernel wrote behind a value; only found with ``VulkanOptions/poisons``.
  case guardOverwritten(storage: Int)
  /// The device stopped answering, or the driver gave it up; nothing works on it any more.
  case deviceLost(label: String, reason: String)
  /// Any other failing call.
  case call(function: String, code: Int32)
}

extension VulkanError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .loaderMissing(let path, let reason):
      "there is no Vulkan loader (\(path): \(reason)); hint: apt install libvulkan1"
    case .noDriver(let code):
      "Vulkan has no working driver (\(Self.name(code))); hint: `fm devices --diagnose` shows what was looked for"
    case .instanceCreation(let code):
      "Vulkan did not start: \(Self.name(code)); hint: `fm devices --diagnose`"
    case .noDevices:
      "Vulkan shows no device; hint: `fm devices --diagnose` shows what was looked for"
    case .unsuitableDevice(let name, let missing):
      "\(name) lacks \(missing.joined(separator: ", ")); hint: a newer driver may have it"
    case .deviceCreation(let name, let code):
      "\(name) could not be opened: \(Self.name(code))"
    case .outOfMemory(let bytes, let purpose, let available):
      "no device memory for \(purpose): \(bytes) bytes wanted, \(available) left; "
        + "hint: a smaller model or --context needs less, and other programs may hold memory"
    case .bufferTooLarge(let bytes, let limit, let purpose):
      "\(purpose) needs one buffer of \(bytes) bytes, the device's limit is \(limit)"
    case .invalidRange(let operation, let offset, let bytes, let bufferBytes):
      "\(operation) of \(bytes) bytes at \(offset) does not fit a buffer of \(bufferBytes)"
    case .unknownShader(let name):
      "there is no shader '\(name)'"
    case .pipelineCreation(let shader, let code):
      "the driver did not accept the shader '\(shader)': \(Self.name(code)); hint: a newer driver may"
    case .subgroupSize(let shader, let size, let allowed):
      "shader '\(shader)' wants subgroups of \(size), the device has "
        + "\(allowed.lowerBound) to \(allowed.upperBound)"
    case .pushConstants(let shader, let expected, let found):
      "shader '\(shader)' takes \(expected) bytes of push constants, found \(found)"
    case .grid(let shader, let groups, let limit):
      "shader '\(shader)' cannot have a grid of \(groups), allowed: 1 to \(limit) in each dimension"
    case .loopTooLong(let shader, let iterations, let limit):
      "shader '\(shader)' would loop \(iterations) times in an invocation, this driver stops at \(limit); "
        + "hint: Mesa 25 has no such limit"
    case .guardOverwritten(let storage): "a kernel wrote behind the end of storage \(storage)"
    case .deviceLost(let label, let reason):
      "the device was lost in '\(label)': \(reason); hint: the kernel log may say why"
    case .call(let function, let code):
      "\(function) failed: \(Self.name(code))"
    }
  }

  /// The constant's name for the results that drivers give.
  private static func name(_ code: Int32) -> String {
    let names: [VkResult: String] = [
      VK_ERROR_OUT_OF_HOST_MEMORY: "VK_ERROR_OUT_OF_HOST_MEMORY",
      VK_ERROR_OUT_OF_DEVICE_MEMORY: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
      VK_ERROR_INITIALIZATION_FAILED: "VK_ERROR_INITIALIZATION_FAILED",
      VK_ERROR_DEVICE_LOST: "VK_ERROR_DEVICE_LOST",
      VK_ERROR_LAYER_NOT_PRESENT: "VK_ERROR_LAYER_NOT_PRESENT",
      VK_ERROR_EXTENSION_NOT_PRESENT: "VK_ERROR_EXTENSION_NOT_PRESENT",
      VK_ERROR_FEATURE_NOT_PRESENT: "VK_ERROR_FEATURE_NOT_PRESENT",
      VK_ERROR_INCOMPATIBLE_DRIVER: "VK_ERROR_INCOMPATIBLE_DRIVER",
      VK_ERROR_TOO_MANY_OBJECTS: "VK_ERROR_TOO_MANY_OBJECTS",
      VK_ERROR_UNKNOWN: "VK_ERROR_UNKNOWN",
    ]
    return names[VkResult(code)].map { "\($0) (\(code))" } ?? "VkResult \(code)"
  }
}

extension VulkanError {
  /// The same for users of the ``Backend`` protocol.
  package var backendError: BackendError {
    switch self {
    case .outOfMemory(let bytes, let purpose, _): .outOfMemory(bytes: bytes, purpose: purpose)
    case .bufferTooLarge(let bytes, let limit, let purpose):
      .outOfMemory(bytes: bytes, purpose: "\(purpose) (one buffer has at most \(limit) bytes)")
    case .deviceLost(let label, let reason): .deviceLost("\(label): \(reason)")
    default: .unsupported(op: "vulkan", reason: description)
    }
  }
}
