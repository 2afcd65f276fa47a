import FMBackend
import FMBench
import Foundation
import Testing

/// Comparisons of made-up rows.
@Suite struct ComparisonTests {
  /// What a made-up run has that is not the fixture's.
  private struct Made {
    var device = StoreFixture.device
    var scenario = "device-slice"
    var sha: String? = "beef"
    var model = StoreFixture.model
    var seed: UInt64 = 1
    var build = "release"
    var commit = "abc"
    /// Milliseconds from the first token to each trial's fifth, in place of 40.
    var trials: [Double] = [40, 44, 36]
  }

  private func add(_ made: Made, to store: BenchStore) throws {
    var run = StoreFixture.run(uuid: UUID().uuidString)
    run.modelSHA = made.model.sha256
    run.seed = made.seed
    run.build.configuration = made.build
    run.build.commit = made.commit
    run.build.isDirty = false
    var environment = HostEnvironment()
    environment.host = "a machine"
    environment.read(made.device)
    let id = try store.beginRun(run, model: made.model, environment: environment)
    let cell = try store.addCell(
      StoreFixture.cell(scenario: made.scenario, sha: made.sha, on: made.device), run: id)
    for (index, length) in made.trials.enumerated() {
      let start = Double(index) * 1000
      let trial = try store.beginTrial(
        cell: cell, repetition: index, orderIndex: index, isWarmUp: false,
        started: StoreFixture.instant(start), loadAverage: nil)
      let session = try store.addSession(trial: trial, number: 0, name: "s", prefixTokens: 8)
      var request = StoreFixture.request(start: start)
      request.lastToken = StoreFixture.instant(start + 101 + length)
      _ = try store.addRequest(request, session: session)
      try store.endTrial(
        trial, ended: StoreFixture.instant(start + 500), invalidReason: nil,
        sample: ResourceSample(at: StoreFixture.instant(start + 500)))
    }
    try store.endRun(id, status: .finished)
  }

  private func compare(
    _ runs: [Made], runs chosen: [Int]? = nil, scenarios: [String] = [], model: String? = nil
  ) throws -> DeviceComparison {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for made in runs { try add(made, to: store) }
    return DeviceComparison(
      try store.comparedCells(runs: chosen, scenarios: scenarios, model: model))
  }

  @Test func `pairs two devices with medians, n, spread and ratio`() throws {
    let comparison = try compare([
      Made(device: StoreFixture.software, trials: [400, 440, 360, 800]), Made(),
    ])
    let pair = try #require(comparison.pairs.first)
    #expect(comparison.pairs.count == 1)
    #expect(comparison.refusals.isEmpty)
    // The processor comes first whichever ran first.
    #expect(pair.first.device.selector == "cpu")
    #expect(pair.second.device.selector == "vulkan:0")
    #expect(pair.first.metrics[.tpot]?.median == 10)
    #expect(pair.first.metrics[.tpot]?.minimum == 9)
    #expect(pair.first.metrics[.tpot]?.maximum == 11)
    #expect(pair.second.metrics[.tpot]?.n == 4)
    #expect(pair.ratios[.tpot].map { abs($0 - 10.5) < 1e-9 } == true)
    #expect(pair.ratios[.ttft] == 1)
    let text = ComparisonText(comparison)
    #expect(text.blocks.count == 1)
    #expect(
      text.blocks[0].header[2]
        == "B  vulkan:0: llvmpipe (software GPU, llvmpipe, Mesa 22.3.6, 2 threads), run 1")
    #expect(
      text.blocks[0].rows[1] == [
        "device-slice", "cold", "tpot ms", "3", "10.0", "9.00 … 11.0", "4", "105", "90.0 … 200",
        "10.5",
      ])
    #expect(text.notes.contains { $0.contains("No verdict") })
    #expect(text.notes.contains { $0.contains("software GPU") })
  }

  @Test func `the newest run of a device counts`() throws {
    let comparison = try compare([
      Made(trials: [80]), Made(device: StoreFixture.software), Made(commit: "def", trials: [40]),
    ])
    #expect(comparison.pairs.map(\.first.run) == [3])
    #expect(comparison.pairs.first?.alsoDiffers == ["the commit (def and abc)"])
    let chosen = try compare(
      [Made(trials: [80]), Made(device: StoreFixture.software), Made(trials: [40])], runs: [1, 2])
    #expect(chosen.pairs.map(\.first.run) == [1])
  }

  @Test func `refuses rows that are not of the same work, and says what differs`() throws {
    var other = StoreFixture.model
    other.sha256 = String(repeating: "b", count: 64)
    for (made, reason) in [
      (Made(device: StoreFixture.software, model: other), "the model's hash (aaaaaaaaaaaa and bbb"),
      (Made(device: StoreFixture.software, sha: "f00d"), "the scenario's hash (beef and f00d)"),
      (Made(device: StoreFixture.software, sha: nil), "the scenario's hash (beef and suite feed)"),
      (Made(device: StoreFixture.software, seed: 2), "the seed (1 and 2)"),
      (Made(device: StoreFixture.software, build: "debug"), "the build (release and debug)"),
    ] {
      let comparison = try compare([Made(), made])
      #expect(comparison.pairs.isEmpty)
      #expect(comparison.refusals.contains { $0.contains(reason) }, "\(comparison.refusals)")
      #expect(ComparisonText(comparison).notes == comparison.refusals)
    }
  }

  @Test func `an older run of the same work is compared when the newest is of other work`() throws {
    let comparison = try compare([
      Made(), Made(device: StoreFixture.software), Made(sha: "f00d"),
    ])
    #expect(comparison.pairs.map(\.first.run) == [1])
    #expect(comparison.refusals.isEmpty)
  }

  @Test func `compares every pair of three devices`() throws {
    let gpu = DeviceDescription(
      selector: "vulkan:1", name: "a card", kind: .discreteGPU, details: [])
    let comparison = try compare([Made(), Made(device: StoreFixture.software), Made(device: gpu)])
    #expect(
      comparison.pairs.map { "\($0.first.device.selector) \($0.second.device.selector)" }
        == ["cpu vulkan:0", "cpu vulkan:1", "vulkan:0 vulkan:1"])
    #expect(ComparisonText(comparison).blocks.count == 3)
  }

  @Test func `says what to run where there is only one device`() throws {
    var one = try compare([Made()])
    one.suggestNext(
      available: [StoreFixture.device, StoreFixture.software], scenarios: [], model: nil)
    #expect(one.pairs.isEmpty)
    #expect(
      one.next?.hasSuffix("next: fmbench run --device cpu,vulkan:0 --scenario device-slice") == true
    )
    one.suggestNext(available: [StoreFixture.device], scenarios: [], model: nil)
    #expect(one.next?.contains("no other device") == true)

    var none = try compare([])
    none.suggestNext(available: [StoreFixture.device], scenarios: [], model: nil)
    #expect(none.next?.contains("fmbench run --device all") == true)

    var apart = try compare([
      Made(scenario: "one-tool"), Made(device: StoreFixture.software),
    ])
    apart.suggestNext(available: [StoreFixture.device], scenarios: ["one-tool"], model: "tiny")
    #expect(
      apart.next?.hasSuffix(
        "next: fmbench run --device cpu,vulkan:0 --scenario one-tool --model tiny") == true)
    #expect(ComparisonText(apart).notes.count == 1)
  }

  @Test func `filters by scenario and model`() throws {
    let runs = [
      Made(), Made(device: StoreFixture.software), Made(scenario: "one-tool"),
      Made(device: StoreFixture.software, scenario: "one-tool"),
    ]
    #expect(try compare(runs).pairs.map(\.key.scenario) == ["device-slice", "one-tool"])
    #expect(try compare(runs, scenarios: ["one-tool"]).pairs.map(\.first.run) == [3])
    #expect(try compare(runs, model: "tin").pairs.count == 2)
    #expect(try compare(runs, model: "large").devices.isEmpty)
  }

  @Test func `writes JSON with the ratios by name`() throws {
    let comparison = try compare([Made(), Made(device: StoreFixture.software, trials: [80])])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(try comparison.json().utf8)) as? [String: Any])
    let pairs = try #require(object["pairs"] as? [[String: Any]])
    #expect((pairs[0]["ratios"] as? [String: Double])?["tpot"] == 2)
  }

  @Test func `shows numbers with three digits`() {
    #expect(
      [0, 0.0012345, 0.1234, 1.234, 12.34, 123.4, 12345].map { ComparisonText.significant($0) }
        == ["0", "0.00123", "0.123", "1.23", "12.3", "123", "12345"])
  }
}
