import FMBackend
import FMBench
import FMCore
import FMOpCases
import Foundation
import Synchronization
import Testing

@Suite struct OpTimingTests {
  /// Nanoseconds that go by only when an executor says so.
  private final class FakeClock: Sendable {
    private let nanoseconds = Atomic<UInt64>(1)

    var now: MonotonicInstant {
      MonotonicInstant(nanoseconds: nanoseconds.load(ordering: .relaxed))
    }

    func advance(_ by: UInt64) { nanoseconds.add(by, ordering: .relaxed) }
  }

  /// A back end whose steps take 1 ms and 200 µs an op.
  private struct FakeBackend: Backend {
    var device = StoreFixture.software
    var fails = false
    let clock = FakeClock()

    func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
      elementTypes.contains(.q2_K) ? "no kernel for Q2_K" : nil
    }

    func makeExecutor(
      program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
    ) throws(BackendError) -> sending any Executor {
      if fails { throw .deviceLost("gone") }
      return FakeExecutor(program, configuration, clock)
    }
  }

  private final class FakeExecutor: Executor {
    let program: Program
    let configuration: ExecutorConfiguration
    let memoryBytes = 0
    private let clock: FakeClock

    init(_ program: Program, _ configuration: ExecutorConfiguration, _ clock: FakeClock) {
      self.program = program
      self.configuration = configuration
      self.clock = clock
    }

    func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
      clock.advance(1_000_000 + 200_000 * UInt64(program.ops.count))
    }

    func copyBlock(group: Int, from source: Int, to destination: Int) throws(BackendError) {}
    func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] { [] }
    func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {}
  }

  private func time(_ item: OpCase?, on backend: FakeBackend = FakeBackend()) throws -> OpTiming {
    let timer = OpTimer(backend: backend, peaks: nil, isQuick: true, clock: { backend.clock.now })
    return timer.time(try #require(item))
  }

  @Test func `the time of an op is that of many less that of one`() throws {
    let timing = try time(OpCases.sized(.tiny, types: [.q4_0]).first)
    #expect(timing.problem == nil)
    #expect(timing.samples.count == 3)
    #expect(timing.seconds.map { abs($0 - 200e-6) < 1e-9 } == true, "\(timing.samples)")
    #expect(timing.type == "Q4_0")
    #expect(timing.op == "matmul")
    #expect(timing.scope == .op)
    #expect(timing.cost.flops == 2 * 256 * 256)
    #expect(timing.flopsPerSecond.map { abs($0 - 655_360_000) < 1 } == true)
  }

  @Test func `choosing candidates is timed as a whole step`() throws {
    let timing = try time(OpCases.outputs().first)
    #expect(timing.scope == .step)
    #expect(timing.seconds.map { abs($0 - 1400e-6) < 1e-9 } == true)
  }

  @Test func `a case the device does not run, or fails in, has a problem and no time`() throws {
    let refused = try time(OpCases.sized(.tiny, types: [.q2_K]).first)
    #expect(refused.problem == "no kernel for Q2_K")
    #expect(refused.seconds == nil)
    let failed = try time(
      OpCases.sized(.tiny, types: [.f32]).first, on: FakeBackend(fails: true))
    #expect(failed.problem?.contains("gone") == true)
    #expect(failed.samples.isEmpty)
  }

  @Test func `times every op in the shapes of models on the reference`() {
    let cases = OpCases.sized(.tiny, types: [.q4_0, .f16])
    let backend = ReferenceBackend()
    let timings = OpTimer(backend: backend, peaks: nil, isQuick: true).time(cases) { _, _ in }
    #expect(timings.map(\.name) == cases.map(\.name))
    // Noise may hide the shortest; none may be refused or fail.
    for timing in timings {
      #expect(timing.samples.count == 3, "\(timing.name): \(timing.problem ?? "")")
    }
    let report = OpReport(device: backend.device, peaks: nil, timings: timings)
    #expect(report.header.contains { $0.contains("measures no limits") })
  }

  @Test func `the table shows rates and their share of the device's`() throws {
    let cost = OpCost(flops: 4e6, weightBytes: 1e6, valueBytes: 1e6)
    let timing = OpTiming(
      name: "matmul", op: "matmul", type: "F16", scope: .op, samples: [1e-3, 3e-3, 2e-3],
      cost: cost)
    let hidden = OpTiming(
      name: "add", op: "add", scope: .op, samples: [-1e-9], cost: cost, problem: "too short")
    var refused = hidden
    refused.samples = []
    refused.problem = "no kernel"
    let report = OpReport(
      device: StoreFixture.software,
      peaks: DevicePeaks(copyBytesPerSecond: 4e9, flopsPerSecond: 20e9),
      timings: [timing, hidden, refused, refused])
    #expect(
      report.rows == [["matmul", "2000", "1000 … 3000", "1.00", "25.0 %", "2.00", "10.0 %"]])
    #expect(report.header[0].contains("software GPU"))
    #expect(report.header[1].hasPrefix("copy 4.00 GB/s"))
    #expect(report.notes.suffix(2) == ["add: too short", "2 cases: no kernel"])
    #expect(report.notes.contains { $0.contains("software GPU") })
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(try report.json().utf8)) as? [String: Any])
    #expect((object["timings"] as? [[String: Any]])?.count == 4)
    let decoded = try JSONDecoder().decode(OpReport.self, from: Data(try report.json().utf8))
    #expect(decoded.timings == report.timings)
  }

  @Test func `selects by op, type and extent`() {
    func names(_ selection: OpSelection, _ kind: DeviceDescription.Kind) -> [String] {
      selection.cases(for: kind).map(\.name)
    }
    let quick = names(OpSelection(extent: .quick, op: "matmul", type: .q8_0), .softwareGPU)
    #expect(
      quick == [1, 8, 64].map { "matmul Q8_0 rows=\($0) outputs=1024 width=1024" })
    let standard = names(OpSelection(op: "matmul", type: .q8_0), .softwareGPU)
    #expect(standard.count > quick.count)
    #expect(standard.allSatisfy { $0.hasPrefix("matmul Q8_0") })
    let all = names(OpSelection(extent: .all, op: "attention"), .reference)
    #expect(all.count > names(OpSelection(op: "attention"), .reference).count)
    #expect(OpSelection.opNames().contains("rms_norm"))
    #expect(OpSelection.opNames().contains("gather_outputs"))
  }
}
