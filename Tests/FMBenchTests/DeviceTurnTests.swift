import FMBackend
import FMBench
import Foundation
import Testing

/// What a run on several devices plays in turn, and what a report then says of it.
@Suite struct DeviceTurnTests {
  private static let gpu = DeviceDescription(
    selector: "vulkan:0", name: "a graphics card", kind: .discreteGPU, details: ["a driver"])
  private static let integrated = DeviceDescription(
    selector: "vulkan:1", name: "a small one", kind: .integratedGPU, details: ["a driver"])
  private static let software = DeviceDescription(
    selector: "vulkan:2", name: "llvmpipe", kind: .softwareGPU, details: ["llvmpipe"])

  private func arms(_ devices: [DeviceDescription], _ suite: Suite) -> [BenchArm] {
    devices.map { device in
      BenchArm(
        target: FakeTarget(), subject: RunSubject(model: StoreFixture.model, device: device),
        encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler))
    }
  }

  @Test func `hardware is played in turn, and each software device by itself`() throws {
    let suite = try Suite(folder: Suite.folder(program: nil))
    func turns(_ devices: DeviceDescription...) -> [[String]] {
      BenchDevices.turns(of: arms(devices, suite)).map { $0.map(\.subject.device.selector) }
    }
    let cpu = StoreFixture.device
    #expect(turns(cpu) == [["cpu"]])
    #expect(turns(cpu, Self.gpu, Self.integrated) == [["cpu", "vulkan:0", "vulkan:1"]])
    #expect(turns(cpu, Self.software) == [["cpu"], ["vulkan:2"]])
    #expect(turns(Self.software, cpu, Self.gpu) == [["vulkan:2"], ["cpu", "vulkan:0"]])
    #expect(turns().isEmpty)
  }

  @Test func `a report judges the devices that were played in turn, and not the software one`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["device-slice"]
    options.effort = .trials(9)
    options.gapScale = 0
    let arms = arms([StoreFixture.device, Self.gpu, Self.software], suite)
    for turn in BenchDevices.turns(of: arms) {
      let runner = BenchRunner(store: store, arms: turn, suite: suite, options: options)
      _ = try await runner.runAll(interruption: Interruption()) { _ in }
    }
    let report = try store.benchReport()
    #expect(report.runs.map { $0.device?.selector } == ["cpu", "vulkan:0", "vulkan:2"])
    #expect(report.verdicts.map(\.isInterleaved) == [true])
    #expect(report.verdicts[0].first.name == "cpu" && report.verdicts[0].second.name == "vulkan:0")
    #expect(report.verdicts[0].isJudged)
    #expect(report.verdicts[0].rows.filter(\.isPrimary).allSatisfy { $0.verdict != nil })
  }
}
