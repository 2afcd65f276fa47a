/// What a recording is made for: steps of one shape share it.
struct RecordingShape: Sendable, Hashable {
  /// Rows of the step, and outputs it asks for.
  var rows: Int
  var outputs: Int
  /// Chunks of the context that attention has room for, a power of two.
  var chunks: Int
  /// Attention tiles; 0 for attention row by row.
  var tiles: Int
  /// Candidates there is room for; 0 for none.
  var candidates: Int
  /// Whether logits are copied to where the host reads them.
  var copiesLogits: Bool

  /// The most rows that are done with matrix-vector kernels.
  static let fewRows = 8

  var isFew: Bool { rows <= Self.fewRows && outputs <= Self.fewRows }
}

/// One dispatch of a recording: what it touches, and what is dispatched.
struct Dispatch {
  /// Workgroups in each dimension.
  struct Grid {
    var x: Int
    var y = 1
    var z = 1
  }

  var label: String
  var accesses: [DeviceAccess]
  var pipeline: VulkanPipeline
  var grid: Grid
  /// Loop iterations of one thread, all loops together, at most.
  var iterations: Int
  var arguments: (inout VulkanPushConstants) -> Void

  /// Records it.
  func record(_ recorder: VulkanRecorder) throws(VulkanError) {
    try recorder.dispatch(
      pipeline, grid.x, grid.y, grid.z, iterations: iterations, arguments: arguments)
  }
}
