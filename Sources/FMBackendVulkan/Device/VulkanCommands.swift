internal import CVulkan
internal import Synchronization

/// A recorded list of dispatches and copies that can be submitted any number of times.
///
/// Belongs to one thread at a time. It keeps the buffers alive that its recording names.
package final class VulkanCommands {
  /// Whose work it is, for errors.
  package let label: String

  let handle: VulkanHandle
  /// The last time it was submitted, to wait for before it is used again.
  var lastSubmission: VulkanSubmission?
  /// Whether the last recording went through.
  private(set) var isRecorded = false
  private let pool: VulkanHandle
  private let device: VulkanDevice
  private var recorder: VulkanRecorder

  /// Makes an empty list.
  ///
  /// - Throws: ``VulkanError`` `.deviceLost`, `.call`.
  package init(_ device: VulkanDevice, label: String) throws(VulkanError) {
    try device.checkAlive()
    var pool: VkCommandPool?
    var commands: VkCommandBuffer?
    let result = fm_vk_create_commands(
      device.handle.raw, UInt32(device.family), &pool, &commands)
    guard result == VK_SUCCESS else {
      throw .call(function: "vkCreateCommandPool", code: result.code)
    }
    self.pool = try VulkanHandle(pool, from: "vkCreateCommandPool")
    handle = try VulkanHandle(commands, from: "vkAllocateCommandBuffers")
    self.device = device
    self.label = label
    recorder = VulkanRecorder(handle, device: device.physical)
  }

  deinit {
    // The pool may only go when the device no longer reads it; of a lost one nobody knows.
    if let lastSubmission { try? device.wait(lastSubmission) }
    if !device.isLost { fm_vk_destroy_commands(device.handle.raw, pool.raw) }
  }

  /// Records anew what `body` adds.
  ///
  /// Everything done before on the queue and by the processor is visible to the first command, and
  /// what the last commands write is visible to the processor after a wait. Between commands
  /// barriers are the recorder's caller's. After an error there is no recording to submit.
  /// - Throws: what `body` throws, `.deviceLost`, `.call`.
  package func record(
    _ body: (VulkanRecorder) throws(VulkanError) -> Void
  ) throws(VulkanError) {
    if let lastSubmission { try device.wait(lastSubmission) }
    try device.checkAlive()
    lastSubmission = nil
    isRecorded = false
    let began = fm_vk_begin(device.handle.raw, pool.raw, handle.raw)
    guard began == VK_SUCCESS else {
      throw .call(function: "vkBeginCommandBuffer", code: began.code)
    }
    recorder.begin()
    try body(recorder)
    recorder.end()
    let ended = fm_vk_end(handle.raw)
    guard ended == VK_SUCCESS else {
      throw .call(function: "vkEndCommandBuffer", code: ended.code)
    }
    isRecorded = true
    device.recordings.add(1, ordering: .relaxed)
  }

  /// Dispatches of the recording.
  package var dispatchCount: Int { recorder.dispatchCount }
  /// Barriers of the recording, without the opening and closing ones.
  package var barrierCount: Int { recorder.barrierCount }
}
