import FMBackend
import FMBackendVulkan
import FMCore
import FMOpCases
import FMRuntime
import Foundation
import Synchronization
import Testing

/// A back end that doubles what the reference gives.
private struct WrongBackend: Backend {
  let device = ReferenceBackend().device

  func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
    program.ops.contains { if case .attention = $0 { true } else { false } } ? "no attention" : nil
  }

  func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor {
    var doubled = program
    for index in doubled.ops.indices {
      if case .embedding(var op) = doubled.ops[index] {
        op.scale *= 2
        doubled.ops[index] = .embedding(op)
      }
    }
    return try ReferenceBackend().makeExecutor(
      program: doubled, weights: weights, configuration: configuration)
  }
}

@Suite struct DeviceSelfTestTests {
  @Test func `the reference passes its own cases`() {
    let report = DeviceSelfTest.quick(types: [.q8_0]).run(on: ReferenceBackend())
    #expect(report.failures.isEmpty)
    #expect(report.ran == DeviceSelfTest.quick(types: [.q8_0]).caseCount)
    #expect(report.families.map(\.name).contains("attention"))
  }

  @Test func `a wrong back end fails and what it refuses is counted`() {
    let cases = OpCases.matmul(.f32).suffix(4) + OpCases.attention().prefix(3)
    var done: [Int] = []
    let report = DeviceSelfTest(cases: Array(cases)).run(on: WrongBackend()) { done.append($0) }
    #expect(report.ran == 4)
    #expect(report.refused == 3)
    #expect(report.failures.count == 4)
    #expect(report.families.first?.failed == 4)
    #expect(done == Array(1...7))
  }
}

/// The first device, opened once.
private enum FirstDevice {
  static let backend: VulkanBackend? = {
    guard let instance = try? VulkanInstance.shared(), !instance.physicalDevices.isEmpty else {
      return nil
    }
    return try? VulkanBackend(index: 0, instance: instance)
  }()
}

/// What is remembered of devices, with tests that say what they are told.
@Suite(.enabled(if: FirstDevice.backend != nil, "no Vulkan device"))
struct DeviceTrustTests {
  private let file = FileManager.default.temporaryDirectory
    .appending(path: "trust-\(UUID().uuidString)/self-tests.json")

  private func failure(_ text: String) -> DeviceSelfTest.Report {
    var report = DeviceSelfTest.Report()
    report.failures = [text]
    return report
  }

  @Test func `a type is tested once a driver, and another type again`() throws {
    let backend = try #require(FirstDevice.backend)
    let tested = Mutex<[[ElementType]]>([])
    let trust = DeviceTrust(file: file) { _, types in
      tested.withLock { $0.append(types) }
      return DeviceSelfTest.Report()
    }
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    var notes: [String] = []
    for types in [[ElementType.q4_0], [.q4_0], [.q4_0, .q6_K], [.q6_K]] {
      _ = try trust.tested(backend, types: types, notes: &notes)
    }
    #expect(tested.withLock { $0 } == [[.q4_0], [.q6_K]])
    #expect(notes.isEmpty)
  }

  @Test func `a path that fails is turned off, said, and remembered`() throws {
    let backend = try #require(FirstDevice.backend)
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let failing = failure("fused: error 1")
    let trust = DeviceTrust(file: file) { backend, _ in
      backend.options.fuses ? failing : DeviceSelfTest.Report()
    }
    var notes: [String] = []
    let first = try trust.tested(backend, types: [.q4_0], notes: &notes)
    #expect(!first.options.fuses)
    #expect(notes.count == 1)
    #expect(notes.first?.contains("fusion") == true)
    let silent = DeviceTrust(file: file) { _, _ in failing }
    var again: [String] = []
    let second = try silent.tested(backend, types: [.q4_0], notes: &again)
    #expect(!second.options.fuses)
    #expect(again == notes)
  }

  @Test func `a device that is wrong on every path is refused with the first failure`() throws {
    let backend = try #require(FirstDevice.backend)
    let failing = failure("matmul Q4_0: error 3")
    let trust = DeviceTrust(file: nil) { _, _ in failing }
    var notes: [String] = []
    #expect {
      _ = try trust.tested(backend, types: [.q4_0], notes: &notes)
    } throws: {
      "\($0)".contains("matmul Q4_0: error 3")
    }
  }

  @Test func `a damaged file only costs another test`() throws {
    let backend = try #require(FirstDevice.backend)
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("{\"x\": [".utf8).write(to: file)
    let count = Mutex(0)
    let trust = DeviceTrust(file: file) { _, _ in
      count.withLock { $0 += 1 }
      return DeviceSelfTest.Report()
    }
    var notes: [String] = []
    _ = try trust.tested(backend, types: [.q4_0], notes: &notes)
    _ = try trust.tested(backend, types: [.q4_0], notes: &notes)
    #expect(count.withLock { $0 } == 1)
  }
}
