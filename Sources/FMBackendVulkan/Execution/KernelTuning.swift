/// Workgroup shapes for a kind of device.
struct KernelTuning: Sendable, Hashable {
  /// Threads of a matrix-vector workgroup, and the outputs it makes for 1, 2, 4 and 8 rows.
  var vectorWidth = 64
  var vectorRows = [4, 4, 2, 2]
  /// Threads, tile and sums a thread of a tiled product.
  var tileWidth = 128
  var tileM = 64
  var tileN = 64
  var threadM = 8
  var threadN = 4
  /// Threads of row-wise kernels.
  var rowWidth = 128
  var headWidth = 64
  var attentionWidth = 64
  /// Most rows of an attention tile.
  var attentionRows = 16
  var candidateWidth = 128
  /// Decoded weights lie in shared memory as f16: half the memory, and a rounding of its own.
  var halfTiles = false

  /// Quantized products take activations of eight bits.
  var integerDot = false

  /// The shapes for a device.
  init(_ device: VulkanPhysicalDevice) {
    if device.kind == .software {
      // Threads are lanes of the processor's vectors there, and barriers are dear.
      vectorWidth = max(8, device.subgroup.size)
      vectorRows = [8, 8, 8, 4]
      tileWidth = 64
      threadN = 8
      rowWidth = 32
      headWidth = 32
      attentionWidth = 32
      candidateWidth = 64
    } else {
      halfTiles = device.features.float16
    }
  }

  /// The smallest of 1, 2, 4 and 8 that holds `count` rows, and the outputs of a workgroup for it.
  func vectorShape(count: Int) -> (columns: Int, rows: Int) {
    let place = count <= 1 ? 0 : count <= 2 ? 1 : count <= 4 ? 2 : 3
    return (1 << place, vectorRows[place])
  }
}
