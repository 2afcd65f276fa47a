internal import CVulkan

/// A Vulkan object's handle, as a value that may be passed between threads.
///
/// SAFETY: a handle is a name and gives no access by itself; the types that own handles see to the
/// synchronization that Vulkan asks of callers.
struct VulkanHandle: @unchecked Sendable {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) { self.raw = raw }

  /// Takes what a call gave out, which is there when the call succeeded.
  init(_ raw: OpaquePointer?, from function: String) throws(VulkanError) {
    guard let raw else {
      throw .call(function: function, code: VK_ERROR_INITIALIZATION_FAILED.code)
    }
    self.raw = raw
  }
}

extension VkResult {
  /// The number, as errors carry it.
  var code: Int32 { Int32(rawValue) }

  /// The result with a number.
  init(_ code: Int32) { self.init(rawValue: .init(code)) }
}
