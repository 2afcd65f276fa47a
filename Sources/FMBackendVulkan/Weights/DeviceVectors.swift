import FMBackend
import FMCore

/// Norm weights and biases, as f32 on the device.
final class DeviceVectors {
  private let buffer: VulkanBuffer
  private let offsets: [[WeightID]: Int]

  /// Uploads each vector, and each run of vectors that a fused product needs as one.
  init(
    _ runs: [[WeightID]], tensors: [WeightTensor], device: VulkanDevice, transfer: VulkanTransfer
  ) throws(VulkanError) {
    var values: [Float] = []
    var offsets: [[WeightID]: Int] = [:]
    for run in runs where offsets[run] == nil {
      offsets[run] = values.count * 4
      for id in run { values += Dequantize.all(of: tensors[id.index]) }
      while values.count % 64 != 0 { values.append(0) }
    }
    self.offsets = offsets
    buffer = try device.makeBuffer(
      bytes: max(256, values.count * 4), kind: .deviceLocal, purpose: "norm weights and biases")
    var failure: VulkanError?
    values.withUnsafeBytes { bytes in
      do throws(VulkanError) { try transfer.upload(bytes, to: buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Adds the address of a vector, or of the buffer's start for none.
  func push(_ run: [WeightID]?, into constants: inout VulkanPushConstants) {
    constants.address(buffer, offset: run.flatMap { offsets[$0] } ?? 0)
  }
}
