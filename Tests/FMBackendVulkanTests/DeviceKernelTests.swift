import FMBackendVulkan
import Testing

/// A first kernel from buffer to buffer.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct DeviceKernelTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  private func buffer(_ count: Int) throws -> VulkanBuffer {
    try device.makeBuffer(
      bytes: count * MemoryLayout<Float>.stride, kind: .readback, purpose: "test")
  }

  @Test(arguments: [1, 63, 64, 65, 1000])
  func `adds two vectors exactly and leaves what follows alone`(count: Int) throws {
    let left = (0..<count).map { Float($0) * 0.25 - 7 }
    let right = (0..<count).map { 1 / Float($0 + 1) }
    let (a, b, sum) = (try buffer(count), try buffer(count), try buffer(count + 8))
    try a.write(left)
    try b.write(right)
    try sum.write([Float](repeating: 42, count: count + 8))
    let pipeline = try AddKernel.pipeline(on: device)
    let commands = try VulkanCommands(device, label: "add")
    try commands.record { recorder throws(VulkanError) in
      try AddKernel.dispatch(pipeline, a, b, sum, count: count, in: recorder)
    }
    try device.run(commands)
    let expected = zip(left, right).map { $0 + $1 } + [Float](repeating: 42, count: 8)
    #expect(try sum.floats(count + 8) == expected)
  }

  @Test(arguments: [1, 31, 64, 129, 2048])
  func `normalizes groups by their root mean square`(width: Int) throws {
    let groups = 3
    let input = (0..<(groups * width)).map { Float(($0 * 37) % 101) / 50 - 1 }
    let weight = (0..<width).map { 1 + Float($0 % 5) / 8 }
    let (x, w, y) = (try buffer(input.count), try buffer(width), try buffer(input.count))
    try x.write(input)
    try w.write(weight)
    try y.write([Float](repeating: .nan, count: input.count))
    let pipeline = try device.pipeline("norm", constants: [128, 0, 0], pushBytes: 60)
    let commands = try VulkanCommands(device, label: "norm")
    try commands.record { recorder throws(VulkanError) in
      try recorder.dispatch(pipeline, 1, groups, iterations: 2 * (width + 127) / 128 + 7) { push in
        for buffer in [x, w, y, x, x] { push.address(buffer) }
        for _ in 0..<4 { push.word(UInt32(width)) }
        push.float(1e-5)
      }
    }
    try device.run(commands)
    let output = try y.floats(input.count)
    var worst = 0.0
    for group in 0..<groups {
      let row = input[(group * width)..<((group + 1) * width)].map(Double.init)
      let mean = row.reduce(0) { $0 + $1 * $1 } / Double(width)
      for (column, value) in row.enumerated() {
        let expected = value / (mean + 1e-5).squareRoot() * Double(weight[column])
        let error = abs(Double(output[group * width + column]) - expected)
        worst = max(worst, error.isNaN ? .infinity : error / max(1, abs(expected)))
      }
    }
    #expect(worst <= 1e-6)
  }

  @Test func `a recording runs as often as it is submitted`() throws {
    let (a, one) = (try buffer(4), try buffer(4))
    try a.write([0, 1, 2, 3])
    try one.write([1, 1, 1, 1])
    let pipeline = try AddKernel.pipeline(on: device)
    let commands = try VulkanCommands(device, label: "count")
    try commands.record { recorder throws(VulkanError) in
      try recorder.dispatch(pipeline, 1) { push in
        for buffer in [a, one, a, a] { push.address(buffer) }
        for _ in 0..<4 { push.word(4) }
        push.float(0)
      }
    }
    for _ in 0..<5 { try device.run(commands) }
    #expect(try a.floats(4) == [5, 6, 7, 8])
  }
}
