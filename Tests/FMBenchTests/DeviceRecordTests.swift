import FMBackend
import FMBench
import Foundation
import Testing

/// What rows say of the device that ran, and which scenarios a device gets.
@Suite struct DeviceRecordTests {
  private let cpu = StoreFixture.device
  private let software = StoreFixture.software
  private let gpu = DeviceDescription(
    selector: "vulkan:0", name: "a card", kind: .discreteGPU, details: ["driver", "1.2"])

  @Test func `takes apart what back ends say of their devices`() {
    #expect(cpu.instructionSet == "AVX2")
    #expect(cpu.driver == nil)
    #expect(cpu.vulkanVersion == nil)
    #expect(software.instructionSet == nil)
    #expect(software.driver == "llvmpipe, Mesa 22.3.6")
    #expect(software.vulkanVersion == "1.3.230")
    #expect(gpu.driver == "driver, 1.2")
    #expect(gpu.vulkanVersion == nil)
    #expect(
      software.label
        == "llvmpipe (vulkan:0, software GPU, llvmpipe, Mesa 22.3.6, Vulkan 1.3.230)")
  }

  @Test func `stores the device with its driver or instruction set, and shows it`() throws {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for device in [cpu, software] {
      var environment = HostEnvironment()
      environment.read(device)
      let run = try store.beginRun(
        StoreFixture.run(uuid: device.selector), model: StoreFixture.model,
        environment: environment)
      _ = try store.addCell(StoreFixture.cell(on: device), run: run)
      try store.endRun(run, status: .finished)
    }
    #expect(
      try store.lines(
        "SELECT gpu, driver, vk_api, instruction_set FROM environment ORDER BY run_id") == [
          "|||AVX2", "llvmpipe|llvmpipe, Mesa 22.3.6|1.3.230|",
        ])
    #expect(
      try store.lines(
        "SELECT device, device_name, device_kind, driver, scenario_sha FROM v_cell") == [
          "cpu|a processor|cpu||beef",
          "vulkan:0|llvmpipe|softwareGPU|llvmpipe, Mesa 22.3.6|beef",
        ])
    #expect(try store.runs().map(\.deviceKind) == ["softwareGPU", "cpu"])
    let report = try store.report(run: 2)
    #expect(report.device == "llvmpipe")
    #expect(report.deviceSelector == "vulkan:0")
    #expect(report.driver == "llvmpipe, Mesa 22.3.6")
    #expect(ReportTable(report).notes.contains { $0.contains("software GPU") })
    #expect(!ReportTable(try store.report(run: 1)).notes.contains { $0.contains("software GPU") })
  }

  @Test func `a software GPU plays the slice alone unless scenarios are named`() throws {
    let suite = try Suite(folder: Suite.folder(program: nil))
    func names(_ named: [String], _ kind: DeviceDescription.Kind) throws -> [String] {
      try suite.scenarios(named: named, on: kind).map(\.name)
    }
    #expect(try names([], .softwareGPU) == ["device-slice"])
    #expect(try names(["one-tool"], .softwareGPU) == ["one-tool"])
    #expect(try names([], .cpu) == suite.scenarios.map(\.name))
    #expect(try names([], .discreteGPU) == suite.scenarios.map(\.name))
    #expect(throws: SuiteError.self) { try names(["none"], .softwareGPU) }
  }

  @Test func `device-slice is sixteen tokens in and eight out, cold`() throws {
    let suite = try Suite(folder: Suite.folder(program: nil))
    let slice = try #require(suite.scenarios.first { $0.name == "device-slice" })
    let plan = try ScenarioPlan(slice)
    #expect(slice.states == [.cold])
    #expect(plan.measuredRequests == 1)
    #expect(plan.measuredOutputTokens == 8)
    #expect(plan.windowTokens == 24)
  }

  @Test func `a scenario keeps its hash when others change`() throws {
    let source = try Suite.folder(program: nil)
    let folder = try TemporaryFolder()
    let copy = folder.url.appending(path: "suite")
    try FileManager.default.copyItem(at: source, to: copy)
    let before = try Suite(folder: copy)
    let file = copy.appending(path: "one-tool.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
    let after = try Suite(folder: copy)
    #expect(before.sha != after.sha)
    #expect(before.scenarioSHA("one-tool") != after.scenarioSHA("one-tool"))
    #expect(before.scenarioSHA("device-slice") == after.scenarioSHA("device-slice"))
    #expect(before.scenarioSHA("device-slice") != before.scenarioSHA("one-tool"))
    #expect(before.scenarioSHA("none") == nil)
  }

  @Test func `all devices are the processor and every GPU, a software one only alone`() {
    let reference = DeviceDescription(
      selector: "reference", name: "r", kind: .reference, details: [])
    #expect(BenchDevices.all(of: [cpu, reference]) == [cpu])
    #expect(BenchDevices.all(of: [cpu, software]) == [cpu, software])
    #expect(BenchDevices.all(of: [cpu, gpu, software]) == [cpu, gpu])
    #expect(BenchDevices.note(on: [cpu, gpu, software]) == nil)
    #expect(BenchDevices.note(on: [cpu, software])?.contains("software device") == true)
    #expect(BenchDevices.note(on: [cpu])?.contains("no Vulkan device") == true)
  }
}
