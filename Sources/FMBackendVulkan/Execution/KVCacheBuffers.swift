internal import FMBackend

/// Keys and values of every layer on the device: `[block][KV head][32 tokens][head width]`.
final class KVCacheBuffers {
  struct Layer {
    var group: Int
    var keys: VulkanBuffer
    var values: VulkanBuffer
    /// Words before the scales of a q8_0 cache.
    var scaleWords: Int
  }

  private let element: ExecutorConfiguration.KVElement
  private let layout: KVLayout
  private let layers: [Int: Layer]
  let byteCount: Int

  init(
    _ layout: KVLayout, configuration: ExecutorConfiguration, device: VulkanDevice
  ) throws(VulkanError) {
    self.layout = layout
    element = configuration.kvElement
    var layers: [Int: Layer] = [:]
    var bytes = 0
    for (index, group) in layout.groups.enumerated() {
      let blocks = configuration.blockCounts[index]
      let sizes = Self.blockBytes(group, element)
      let size = max(256, blocks * (sizes.codes + sizes.scales))
      for layer in group.layers {
        layers[layer] = Layer(
          group: index,
          keys: try device.makeBuffer(bytes: size, kind: .deviceLocal, purpose: "KV cache"),
          values: try device.makeBuffer(bytes: size, kind: .deviceLocal, purpose: "KV cache"),
          scaleWords: blocks * sizes.codes / 4)
        bytes += 2 * size
      }
    }
    self.layers = layers
    byteCount = bytes
  }

  /// Bytes of a block of one layer's keys: elements, and scales where there are any.
  private static func blockBytes(
    _ group: KVGroup, _ element: ExecutorConfiguration.KVElement
  ) -> (codes: Int, scales: Int) {
    let elements = group.kvHeads * KVLayout.blockTokens * group.headWidth
    return element == .f16 ? (2 * elements, 0) : (elements, elements / 32 * 4)
  }

  /// A layer's buffers; the program's check says that every layer asked for is there.
  func layer(_ index: Int) -> Layer {
    guard let layer = layers[index] else { preconditionFailure("no cache for layer \(index)") }
    return layer
  }

  /// The stretches of a block in every buffer of a group: layers in order, keys before values.
  func stretches(
    group: Int, block: Int
  ) -> [(buffer: VulkanBuffer, offset: Int, bytes: Int)] {
    let sizes = Self.blockBytes(layout.groups[group], element)
    var result: [(VulkanBuffer, Int, Int)] = []
    for layer in layout.groups[group].layers.map({ self.layer($0) }) {
      for buffer in [layer.keys, layer.values] {
        result.append((buffer, block * sizes.codes, sizes.codes))
        if sizes.scales > 0 {
          result.append((buffer, layer.scaleWords * 4 + block * sizes.scales, sizes.scales))
        }
      }
    }
    return result
  }
}
