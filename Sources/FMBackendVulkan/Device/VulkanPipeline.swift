internal import CVulkan
internal import FMShaders
internal import Synchronization

/// A shader variant compiled for a device with its constants.
package final class VulkanPipeline: Sendable {
  /// What tells pipelines of a device apart.
  struct Key: Sendable, Hashable {
    var shader: String
    var constants: [UInt32]
    var pushBytes: Int
    var subgroupSize: Int?
    var fullSubgroups: Bool
  }

  let key: Key
  let handle: VulkanHandle
  let layout: VulkanHandle

  /// The variant's name.
  package var shader: String { key.shader }
  /// Bytes of push constants every dispatch gives.
  package var pushBytes: Int { key.pushBytes }

  init(key: Key, handle: VulkanHandle, layout: VulkanHandle) {
    self.key = key
    self.handle = handle
    self.layout = layout
  }
}

/// The pipelines of a device, each made once, with the driver's cache of compiled code.
final class VulkanPipelines: Sendable {
  private struct State {
    var pipelines: [VulkanPipeline.Key: VulkanPipeline] = [:]
    var isCacheDirty = false
  }

  private static let constantLimit = 32
  private let device: VulkanHandle
  private let description: VulkanPhysicalDevice
  private let cache: VulkanHandle
  private let file: VulkanPipelineCacheFile?
  private let state = Mutex(State())

  init(
    device: VulkanHandle, description: VulkanPhysicalDevice, file: VulkanPipelineCacheFile?
  ) throws(VulkanError) {
    let saved = file?.read() ?? []
    var cache: VkPipelineCache?
    let result = saved.withUnsafeBytes {
      fm_vk_create_pipeline_cache(device.raw, $0.baseAddress, $0.count, &cache)
    }
    guard result == VK_SUCCESS else {
      throw .call(function: "vkCreatePipelineCache", code: result.code)
    }
    self.cache = try VulkanHandle(cache, from: "vkCreatePipelineCache")
    self.device = device
    self.description = description
    self.file = file
  }

  var count: Int { state.withLock { $0.pipelines.count } }

  /// Destroys everything; only when the device goes.
  func removeAll() {
    save()
    state.withLock { state in
      for pipeline in state.pipelines.values {
        fm_vk_destroy_pipeline(device.raw, pipeline.layout.raw, pipeline.handle.raw)
      }
      state.pipelines = [:]
    }
    fm_vk_destroy_pipeline_cache(device.raw, cache.raw)
  }

  func pipeline(_ key: VulkanPipeline.Key) throws(VulkanError) -> VulkanPipeline {
    try check(key)
    return try state.withLock { state throws(VulkanError) in
      if let known = state.pipelines[key] { return known }
      let made = try make(key)
      state.pipelines[key] = made
      state.isCacheDirty = true
      return made
    }
  }

  func save() {
    guard let file, state.withLock({ $0.isCacheDirty }) else { return }
    var count = 0
    guard fm_vk_pipeline_cache_bytes(device.raw, cache.raw, &count, nil) == VK_SUCCESS,
      count > 0, count <= VulkanPipelineCacheFile.maximumBytes
    else { return }
    var bytes = [UInt8](repeating: 0, count: count)
    let result = bytes.withUnsafeMutableBytes {
      fm_vk_pipeline_cache_bytes(device.raw, cache.raw, &count, $0.baseAddress)
    }
    guard result == VK_SUCCESS else { return }
    file.write(Array(bytes.prefix(count)))
    state.withLock { $0.isCacheDirty = false }
  }

  private func check(_ key: VulkanPipeline.Key) throws(VulkanError) {
    let limit = max(128, description.limits.pushConstantBytes)
    guard key.pushBytes >= 0, key.pushBytes <= limit, key.pushBytes % 4 == 0 else {
      throw .pushConstants(shader: key.shader, expected: limit, found: key.pushBytes)
    }
    precondition(key.constants.count <= Self.constantLimit, "more than 32 constants")
    let subgroup = description.subgroup
    guard let size = key.subgroupSize else { return }
    let range = min(subgroup.minimumSize, subgroup.maximumSize)...subgroup.maximumSize
    let isAllowed =
      subgroup.hasSizeControl
      ? range.contains(size) && size & (size - 1) == 0 : size == subgroup.size
    guard isAllowed else {
      throw .subgroupSize(shader: key.shader, size: size, allowed: range)
    }
  }

  private func make(_ key: VulkanPipeline.Key) throws(VulkanError) -> VulkanPipeline {
    guard let words = ShaderLibrary.spirv(key.shader) else {
      throw .unknownShader(name: key.shader)
    }
    let subgroup = description.subgroup
    var layout: VkPipelineLayout?
    var pipeline: VkPipeline?
    let result = words.withUnsafeBufferPointer { words in
      key.constants.withUnsafeBufferPointer { constants in
        var source = fm_vk_pipeline_source(
          words: words.baseAddress, word_count: words.count, constants: constants.baseAddress,
          constant_count: UInt32(constants.count), push_bytes: UInt32(key.pushBytes),
          subgroup_size: subgroup.hasSizeControl ? UInt32(key.subgroupSize ?? 0) : 0,
          full_subgroups: key.fullSubgroups && subgroup.hasFullSubgroups)
        return fm_vk_create_pipeline(device.raw, cache.raw, &source, &layout, &pipeline)
      }
    }
    guard result == VK_SUCCESS, let layout, let pipeline else {
      throw .pipelineCreation(shader: key.shader, code: result.code)
    }
    return VulkanPipeline(key: key, handle: VulkanHandle(pipeline), layout: VulkanHandle(layout))
  }
}
