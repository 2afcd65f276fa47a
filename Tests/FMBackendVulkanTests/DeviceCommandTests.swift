import FMBackendVulkan
import Foundation
import Testing

/// Pipelines, recordings, waits and what is refused.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct DeviceCommandTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  private func add(
    _ count: Int, on device: VulkanDevice
  ) throws -> (VulkanCommands, VulkanBuffer) {
    let buffer = try device.makeBuffer(bytes: count * 4, kind: .readback, purpose: "test")
    let pipeline = try AddKernel.pipeline(on: device)
    let commands = try VulkanCommands(device, label: "double")
    try commands.record { recorder throws(VulkanError) in
      try AddKernel.dispatch(pipeline, buffer, buffer, buffer, count: count, in: recorder)
    }
    return (commands, buffer)
  }

  @Test func `steady submissions allocate, record and compile nothing`() throws {
    // A device of its own: others on the shared one count too.
    let device = try VulkanTestDevice.open()
    let (commands, buffer) = try add(100, on: device)
    try buffer.write([Float](repeating: 1, count: 100))
    try device.run(commands)
    let before = device.counters
    for _ in 0..<20 { try device.run(commands) }
    let after = device.counters
    var expected = before
    expected.submissions += 20
    #expect(after == expected)
    #expect(try buffer.floats(100).allSatisfy { $0 == Float(1 << 21) })
  }

  @Test func `a pipeline is made once for the same arguments`() throws {
    let own = try VulkanTestDevice.open()
    let first = try AddKernel.pipeline(on: own)
    #expect(try AddKernel.pipeline(on: own) === first)
    #expect(own.counters.pipelines == 1)
    #expect(
      try own.pipeline(AddKernel.shader, constants: [32, 0, 0], pushBytes: AddKernel.pushBytes)
        !== first)
    #expect(own.counters.pipelines == 2)
  }

  @Test func `compiled pipelines are kept on disk and taken from there`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "pipelines-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for _ in 0..<2 {
      let own = try VulkanTestDevice.open(cacheFolder: folder)
      _ = try AddKernel.pipeline(on: own)
      own.savePipelineCache()
      let file = VulkanPipelineCacheFile(folder: folder, device: own.physical)
      #expect(file.read() != nil)
    }
  }

  @Test func `unknown shaders and impossible arguments are refused`() throws {
    #expect(throws: VulkanError.unknownShader(name: "none")) {
      _ = try device.pipeline("none", pushBytes: 0)
    }
    for bytes in [-4, 3, 1 << 20] {
      #expect(throws: VulkanError.self) {
        _ = try device.pipeline(AddKernel.shader, pushBytes: bytes)
      }
    }
    let subgroup = device.physical.subgroup
    #expect(throws: VulkanError.self) {
      _ = try device.pipeline(
        AddKernel.shader, constants: AddKernel.constants, pushBytes: AddKernel.pushBytes,
        subgroupSize: subgroup.maximumSize * 2)
    }
    _ = try device.pipeline(
      AddKernel.shader, constants: [256, 0, 0], pushBytes: AddKernel.pushBytes,
      subgroupSize: subgroup.size, fullSubgroups: true)
  }

  @Test func `grids, loops and push constants out of bounds are refused`() throws {
    let pipeline = try AddKernel.pipeline(on: device)
    let commands = try VulkanCommands(device, label: "refused")
    for grid in [[0, 1, 1], [1, 65_536, 1], [1, 1, -1]] {
      #expect(throws: VulkanError.grid(shader: AddKernel.shader, groups: grid, limit: 65_535)) {
        try commands.record { recorder throws(VulkanError) in
          try recorder.dispatch(pipeline, grid[0], grid[1], grid[2]) { _ in }
        }
      }
    }
    #expect(
      throws: VulkanError.pushConstants(
        shader: AddKernel.shader, expected: AddKernel.pushBytes, found: 4)
    ) {
      try commands.record { recorder throws(VulkanError) in
        try recorder.dispatch(pipeline, 1) { $0.word(0) }
      }
    }
    if let limit = device.physical.loopIterationLimit {
      #expect(
        throws: VulkanError.loopTooLong(
          shader: AddKernel.shader, iterations: limit + 1, limit: limit)
      ) {
        try commands.record { recorder throws(VulkanError) in
          try recorder.dispatch(pipeline, 1, iterations: limit + 1) { _ in }
        }
      }
    }
    // The list is usable after errors.
    try commands.record { _ throws(VulkanError) in }
    try device.run(commands)
    #expect(commands.dispatchCount == 0)
  }

  @Test func `copies and fills move what they say`() throws {
    let source = try device.makeBuffer(bytes: 64, kind: .upload, purpose: "test")
    let middle = try device.makeBuffer(bytes: 64, kind: .deviceLocal, purpose: "test")
    let target = try device.makeBuffer(bytes: 64, kind: .readback, purpose: "test")
    try source.write((0..<16).map(Float.init))
    let commands = try VulkanCommands(device, label: "copies")
    try commands.record { recorder throws(VulkanError) in
      try recorder.fill(middle, bytes: 64, word: Float(9).bitPattern)
      recorder.barrier(.transferToTransfer)
      try recorder.copy(from: source, fromOffset: 8, to: middle, toOffset: 16, bytes: 12)
      recorder.barrier(.transferToTransfer)
      try recorder.copy(from: middle, to: target, bytes: 64)
    }
    try device.run(commands)
    let nines = [Float](repeating: 9, count: 4)
    #expect(try target.floats(16) == nines + [2, 3, 4] + nines + nines + [9])
    #expect(commands.barrierCount == 2)
    #expect(throws: VulkanError.self) {
      try commands.record { recorder throws(VulkanError) in
        try recorder.copy(from: source, fromOffset: 60, to: target, bytes: 8)
      }
    }
    #expect(throws: VulkanError.self) {
      try commands.record { recorder throws(VulkanError) in
        try recorder.fill(target, offset: 2, bytes: 4)
      }
    }
  }

  @Test func `timestamps never run backwards`() throws {
    let timestamps = try VulkanTimestamps(device, count: 3)
    let (_, buffer) = try add(64, on: device)
    let commands = try VulkanCommands(device, label: "timed")
    try commands.record { recorder throws(VulkanError) in
      recorder.reset(timestamps)
      recorder.timestamp(timestamps, 0)
      try recorder.fill(buffer, bytes: 256)
      recorder.timestamp(timestamps, 1)
      recorder.timestamp(timestamps, 2)
    }
    try device.run(commands)
    let times = try timestamps.nanoseconds()
    #expect(times[0] == 0)
    #expect(times[1] >= 0 && times[2] >= times[1] && times[2] < 60e9)
  }
}
