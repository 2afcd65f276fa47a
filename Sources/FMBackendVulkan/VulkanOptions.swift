/// Paths of the Vulkan back end that can be turned off or forced: for tests, for finding faults, and
/// where a device's self-test says that one is broken.
package struct VulkanOptions: Sendable, Hashable {
  /// A path that a device can do without.
  package enum OptionalPath: String, Sendable, CaseIterable {
    /// Decoded weights of tiled products in shared memory as f16.
    case halfTiles = "f16 tiles"
    /// Products of quantized weights with activations of eight bits.
    case integerDot = "integer dot"
    /// Neighbouring ops as one kernel.
    case fusion
  }

  /// Neighbouring ops become one kernel where that is known to be the same.
  package var fuses = true
  /// A barrier stands before every dispatch, not only where one is needed.
  package var hasBarrierEverywhere = false
  /// Decoded weights of tiled products lie in shared memory as f16; nil leaves it to the device.
  package var halfTiles: Bool?
  /// Products with quantized weights take activations of eight bits and the packed integer dot
  /// product, where the device has it: faster where that is accelerated, and less exact.
  package var integerDot = false
  /// Outputs hold NaN before they are computed, and guards stand behind every value.
  package var poisons = false

  package init() {}

  /// Turns a path off.
  package mutating func disable(_ path: OptionalPath) {
    switch path {
    case .halfTiles: halfTiles = false
    case .integerDot: integerDot = false
    case .fusion: fuses = false
    }
  }
}
