internal import CVulkan

/// Moments on a device's clock, written by commands.
package final class VulkanTimestamps {
  package let count: Int
  let pool: VulkanHandle
  private let device: VulkanDevice

  /// Makes room for `count` moments.
  ///
  /// - Throws: ``VulkanError`` `.unsuitableDevice` where the queue has no clock, `.call`.
  package init(_ device: VulkanDevice, count: Int) throws(VulkanError) {
    precondition(count > 0 && count <= 1 << 16, "between 1 and 65,536 timestamps")
    guard device.physical.queueFamilies[device.family].timestampBits > 0 else {
      throw .unsuitableDevice(name: device.physical.name, missing: ["timestamps"])
    }
    var pool: VkQueryPool?
    let result = fm_vk_create_queries(device.handle.raw, UInt32(count), &pool)
    guard result == VK_SUCCESS else {
      throw .call(function: "vkCreateQueryPool", code: result.code)
    }
    self.pool = try VulkanHandle(pool, from: "vkCreateQueryPool")
    self.count = count
    self.device = device
  }

  deinit { fm_vk_destroy_queries(device.handle.raw, pool.raw) }

  /// Nanoseconds since the first moment, after waiting for the commands that wrote all of them.
  ///
  /// - Throws: ``VulkanError/call(function:code:)`` when one was not written.
  package func nanoseconds() throws(VulkanError) -> [Double] {
    var ticks = [UInt64](repeating: 0, count: count)
    let result = fm_vk_query_results(device.handle.raw, pool.raw, UInt32(count), &ticks)
    guard result == VK_SUCCESS else {
      throw .call(function: "vkGetQueryPoolResults", code: result.code)
    }
    let bits = device.physical.queueFamilies[device.family].timestampBits
    let mask = bits >= 64 ? UInt64.max : 1 << UInt64(bits) - 1
    let period = Double(device.physical.limits.timestampPeriod)
    return ticks.map { Double(($0 &- ticks[0]) & mask) * period }
  }
}
