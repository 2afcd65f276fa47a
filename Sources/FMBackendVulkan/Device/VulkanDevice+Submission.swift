internal import CVulkan
internal import Synchronization

/// Work that was given to a device, to wait for.
package struct VulkanSubmission: Sendable, Hashable {
  /// The timeline's value when it is done.
  package let value: UInt64
  /// Whose work it is, for errors.
  package let label: String

  /// Names a point of the timeline.
  package init(value: UInt64, label: String) {
    self.value = value
    self.label = label
  }
}

extension VulkanDevice {
  /// Whether the device is lost.
  package var isLost: Bool { timeline.withLock { $0.lost != nil } }

  /// - Throws: the error the device was lost with.
  package func checkAlive() throws(VulkanError) {
    if let lost = timeline.withLock({ $0.lost }) { throw lost }
  }

  /// Gives the device up; the first reason stays.
  package func markLost(label: String, reason: String) {
    timeline.withLock { timeline in
      if timeline.lost == nil { timeline.lost = .deviceLost(label: label, reason: reason) }
    }
  }

  /// Hands recorded commands to the queue.
  ///
  /// Commands still running from an earlier submission are waited for first.
  /// - Throws: ``VulkanError`` `.deviceLost`, `.call`.
  package func submit(_ commands: VulkanCommands) throws(VulkanError) -> VulkanSubmission {
    try checkAlive()
    precondition(commands.isRecorded, "nothing is recorded to submit")
    if let earlier = commands.lastSubmission { try wait(earlier) }
    let result = timeline.withLock { timeline -> Result<UInt64, VulkanError> in
      if let lost = timeline.lost { return .failure(lost) }
      let value = timeline.last + 1
      let result = fm_vk_submit(queue.raw, commands.handle.raw, semaphore.raw, value)
      switch result {
      case VK_SUCCESS:
        timeline.last = value
        return .success(value)
      case VK_ERROR_DEVICE_LOST:
        let error = VulkanError.deviceLost(label: commands.label, reason: "on submission")
        timeline.lost = error
        return .failure(error)
      default:
        return .failure(.call(function: "vkQueueSubmit", code: result.code))
      }
    }
    let submission = VulkanSubmission(value: try result.get(), label: commands.label)
    commands.lastSubmission = submission
    return submission
  }

  /// Waits until a submission and all before it are done.
  ///
  /// - Throws: ``VulkanError/deviceLost(label:reason:)`` when the driver gives up or the watchdog's
  ///   limit passes, and at every call after that.
  package func wait(_ submission: VulkanSubmission) throws(VulkanError) {
    try checkAlive()
    let start = ContinuousClock.now
    let limit = Duration.seconds(watchdog.limitSeconds)
    let slice = UInt64(max(0, watchdog.sliceSeconds * 1e9))
    while true {
      let result = fm_vk_wait(handle.raw, semaphore.raw, submission.value, slice)
      switch result {
      case VK_SUCCESS: return
      case VK_TIMEOUT:
        try checkAlive()
        guard ContinuousClock.now - start >= limit else { continue }
        markLost(label: submission.label, reason: "no answer for \(watchdog.limitSeconds) s")
      case VK_ERROR_DEVICE_LOST:
        markLost(label: submission.label, reason: "reported by the driver")
      default:
        throw .call(function: "vkWaitSemaphores", code: result.code)
      }
      try checkAlive()
    }
  }

  /// Whether a submission is done, without waiting.
  package func isDone(_ submission: VulkanSubmission) throws(VulkanError) -> Bool {
    try checkAlive()
    var value: UInt64 = 0
    let result = fm_vk_timeline_value(handle.raw, semaphore.raw, &value)
    if result == VK_ERROR_DEVICE_LOST {
      markLost(label: submission.label, reason: "reported by the driver")
      try checkAlive()
    }
    guard result == VK_SUCCESS else {
      throw .call(function: "vkGetSemaphoreCounterValue", code: result.code)
    }
    return value >= submission.value
  }

  /// Submits and waits.
  package func run(_ commands: VulkanCommands) throws(VulkanError) {
    try wait(try submit(commands))
  }
}
