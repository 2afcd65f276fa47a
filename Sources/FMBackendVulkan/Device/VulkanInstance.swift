internal import CVulkan
internal import Glibc
internal import Synchronization

/// The connection to the Vulkan loader and the devices its drivers show.
package final class VulkanInstance: Sendable {
  /// The loader's name, found by the dynamic linker.
  package static let loaderName: String = "libvulkan.so.1"

  /// Devices without duplicates in listed order: the place is the `N` of `vulkan:N`.
  package let physicalDevices: [VulkanPhysicalDevice]
  /// Whether the validation layer checks every call.
  package let hasValidation: Bool
  /// What the loader, the drivers and the layer have said.
  package let log: VulkanMessageLog

  private let handle: VulkanHandle
  private let messenger: VulkanHandle?
  private let devices: [VulkanHandle]
  /// Creating instances writes the table of entry points.
  private static let creation = Mutex(())

  /// The process's instance, made at the first call, or why there is none.
  ///
  /// `FM_VULKAN_VALIDATION=1` in the environment switches the validation layer on and shows what it
  /// says on standard error.
  /// - Throws: what ``init(loaderPath:validation:log:)`` throws, the same at every call.
  package static func shared() throws(VulkanError) -> VulkanInstance { try first.get() }

  private static let first: Result<VulkanInstance, VulkanError> = {
    let validation = getenv("FM_VULKAN_VALIDATION").map { String(cString: $0) } == "1"
    do throws(VulkanError) {
      return .success(
        try VulkanInstance(
          validation: validation, log: VulkanMessageLog(echoes: validation)))
    } catch {
      return .failure(error)
    }
  }()

  /// Opens the loader and lists the devices.
  ///
  /// - Throws: ``VulkanError`` `.loaderMissing`, `.noDriver`, `.instanceCreation` or `.noDevices`.
  package init(
    loaderPath: String = VulkanInstance.loaderName, validation: Bool = false,
    log: VulkanMessageLog = VulkanMessageLog()
  ) throws(VulkanError) {
    let made = try Self.creation.withLock { _ throws(VulkanError) in
      try Self.load(loaderPath)
      return try Self.create(validation: validation, log: log)
    }
    do throws(VulkanError) {
      let found = try Self.enumerate(made.handle)
      let listed = found.enumerated().map { VulkanPhysicalDevice($1, enumerationIndex: $0) }
      physicalDevices = VulkanPhysicalDevice.listed(listed)
      devices = found
    } catch {
      fm_vk_destroy_instance(made.handle.raw, made.messenger?.raw)
      throw error
    }
    handle = made.handle
    messenger = made.messenger
    hasValidation = made.hasValidation
    self.log = log
  }

  deinit { fm_vk_destroy_instance(handle.raw, messenger?.raw) }

  /// The driver's handle of one of ``physicalDevices``.
  func handle(of device: VulkanPhysicalDevice) -> VulkanHandle { devices[device.enumerationIndex] }

  private static func load(_ path: String) throws(VulkanError) {
    let capacity = 512
    let message = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { message.deallocate() }
    message.pointee = 0
    guard fm_vk_load(path, message, capacity) else {
      throw .loaderMissing(path: path, reason: String(cString: message))
    }
  }

  private struct Made {
    var handle: VulkanHandle
    var messenger: VulkanHandle?
    var hasValidation: Bool
  }

  private static func create(
    validation: Bool, log: VulkanMessageLog
  ) throws(VulkanError) -> Made {
    var instance: VkInstance?
    var messenger: VkDebugUtilsMessengerEXT?
    var hasValidation = false
    // The instance keeps the log alive for as long as messages can come.
    let context = Unmanaged.passUnretained(log).toOpaque()
    let result = fm_vk_create_instance(
      validation,
      { context, isError, text in
        guard let context, let text else { return }
        Unmanaged<VulkanMessageLog>.fromOpaque(context).takeUnretainedValue()
          .add(String(cString: text), isError: isError)
      }, context, &instance, &messenger, &hasValidation)
    switch result {
    case VK_SUCCESS: break
    case VK_ERROR_INCOMPATIBLE_DRIVER: throw .noDriver(code: result.code)
    default: throw .instanceCreation(code: result.code)
    }
    return Made(
      handle: try VulkanHandle(instance, from: "vkCreateInstance"),
      messenger: messenger.map { VulkanHandle($0) }, hasValidation: hasValidation)
  }

  private static func enumerate(_ instance: VulkanHandle) throws(VulkanError) -> [VulkanHandle] {
    var devices = [VkPhysicalDevice?](repeating: nil, count: 64)
    var count = UInt32(devices.count)
    let result = fm_vk_physical_devices(instance.raw, &count, &devices)
    switch result {
    case VK_SUCCESS, VK_INCOMPLETE: break
    // What loaders answer when a driver is installed that finds no hardware.
    case VK_ERROR_INITIALIZATION_FAILED: throw .noDevices
    default: throw .call(function: "vkEnumeratePhysicalDevices", code: result.code)
    }
    let found = devices.prefix(Int(count)).compactMap { $0.map { VulkanHandle($0) } }
    guard !found.isEmpty else { throw .noDevices }
    return found
  }
}
