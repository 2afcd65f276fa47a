import FMBackend
import FMCore

/// A matrix on the device: one tensor, or several of one type and row length on top of each other.
final class DeviceMatrix {
  let type: ElementType
  /// Rows of all its tensors together.
  let rows: Int
  /// Units of 32 columns in a row.
  let units: Int
  /// All planes, one after another.
  let buffer: VulkanBuffer
  /// Where each plane begins; a plane the type lacks begins where the first does.
  let planeOffsets: [Int]

  /// Uploads tensors of one type and row length; the bytes are read before this returns, the
  /// transfer still has to finish.
  init(
    _ tensors: [WeightTensor], device: VulkanDevice, transfer: VulkanTransfer
  ) throws(VulkanError) {
    let type = tensors[0].type
    let layout = WeightLayout(type)
    let rows = tensors.reduce(0) { $0 + $1.rows }
    let units = type.units(columns: tensors[0].columns)
    let blocks = rows * Self.blocksPerRow(type, units)
    var offsets: [Int] = []
    var end = 0
    for plane in layout.planes.indices {
      offsets.append(end)
      end += (blocks * layout.blockBytes(ofPlane: plane) + 255) / 256 * 256
    }
    // A shader may read the word that a plane's last bytes share with nothing.
    buffer = try device.makeBuffer(bytes: end + 256, kind: .deviceLocal, purpose: "weights")
    self.type = type
    self.rows = rows
    self.units = units
    planeOffsets = offsets + [Int](repeating: 0, count: 3 - offsets.count)
    for plane in layout.planes.indices {
      var writer = PlaneWriter(
        layout: layout, plane: plane, type: type, units: units, offset: offsets[plane])
      for tensor in tensors { try writer.write(tensor, to: buffer, transfer) }
    }
  }

  /// Blocks of a row once it is padded to whole units.
  static func blocksPerRow(_ type: ElementType, _ units: Int) -> Int {
    units * WeightLayout.unitColumns / type.blockElements
  }

  /// Adds the addresses of the three planes to push constants.
  func push(into constants: inout VulkanPushConstants) {
    for offset in planeOffsets { constants.address(buffer, offset: offset) }
  }
}

/// Writes one plane of tensors, a stretch of rows at a time.
private struct PlaneWriter {
  let layout: WeightLayout
  let plane: Int
  let type: ElementType
  let units: Int
  var offset: Int

  private static let stretchBytes = 8 << 20

  mutating func write(
    _ tensor: WeightTensor, to buffer: VulkanBuffer, _ transfer: VulkanTransfer
  ) throws(VulkanError) {
    let padded = DeviceMatrix.blocksPerRow(type, units)
    let stored = tensor.columns / type.blockElements
    if layout.isWhole(plane), padded == stored {
      try transfer.upload(tensor.bytes, to: buffer, offset: offset)
      offset += tensor.bytes.count
      return
    }
    let rowBytes = padded * layout.blockBytes(ofPlane: plane)
    let most = max(1, Self.stretchBytes / rowBytes)
    var stretch = [UInt8](repeating: 0, count: min(most, tensor.rows) * rowBytes)
    var row = 0
    while row < tensor.rows {
      let count = min(most, tensor.rows - row)
      fill(&stretch, tensor, rows: row..<row + count, stored: stored, rowBytes: rowBytes)
      var failure: VulkanError?
      stretch.withUnsafeBytes { bytes in
        do throws(VulkanError) {
          try transfer.upload(
            UnsafeRawBufferPointer(rebasing: bytes[..<(count * rowBytes)]), to: buffer,
            offset: offset)
        } catch { failure = error }
      }
      if let failure { throw failure }
      offset += count * rowBytes
      row += count
    }
  }

  private func fill(
    _ stretch: inout [UInt8], _ tensor: WeightTensor, rows: Range<Int>, stored: Int, rowBytes: Int
  ) {
    stretch.withUnsafeMutableBytes { target in
      guard let target = target.baseAddress, let source = tensor.bytes.baseAddress else { return }
      for row in rows {
        var to = target + (row - rows.lowerBound) * rowBytes
        var from = source + row * stored * type.blockBytes
        for _ in 0..<stored {
          for range in layout.planes[plane] {
            to.copyMemory(from: from + range.lowerBound, byteCount: range.count)
            to += range.count
          }
          from += type.blockBytes
        }
      }
    }
  }
}
