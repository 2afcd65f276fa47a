import FMBench
import Testing

/// Which stored runs a name means.
@Suite struct RunSelectorTests {
  private typealias Made = RunComparisonTests.Made

  private func chosen(
    _ first: String, _ second: String, by axis: ComparisonAxis, in store: BenchStore,
    scenarios: [String] = []
  ) throws -> [[Int]] {
    let pair = try RunSelector.pair(
      (first, store), (second, store), by: axis, scenarios: scenarios)
    return [pair.0.runs, pair.1.runs]
  }

  private func store(_ folder: TemporaryFolder, _ runs: [Made]) throws -> BenchStore {
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    for made in runs { _ = try RunComparisonTests.add(made, to: store) }
    return store
  }

  @Test func `chooses runs by number, device, commit and model`() throws {
    let folder = try TemporaryFolder()
    let store = try store(
      folder,
      [
        Made(), Made(device: StoreFixture.software), Made(commit: "123456789"),
        Made(invalid: Set(0..<10)),
      ])
    #expect(try chosen("1,3", "latest", by: .run, in: store) == [[1, 3], [4]])
    // Run 1 has the other device's commit, and run 3 has not.
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[1], [2]])
    #expect(try chosen("12345", "abcd", by: .commit, in: store) == [[3], [1]])
    for axis in [ComparisonAxis.model, .threads, .kv] {
      let name = axis == .model ? "ti" : axis == .threads ? "2" : "f16"
      // One name for both sides means two runs.
      #expect(try chosen(name, name, by: axis, in: store) == [[3], [1]])
    }
    for (text, axis) in [
      ("9", ComparisonAxis.run), ("", .run), ("vulkan:7", .device), ("123", .commit),
      ("fff", .model), ("x", .threads),
    ] {
      #expect(throws: StoreError.self) { try chosen(text, text, by: axis, in: store) }
    }
    #expect(throws: StoreError.noSuchRun("device cpu with no-such")) {
      try chosen("cpu", "cpu", by: .device, in: store, scenarios: ["no-such"])
    }
  }

  @Test func `takes runs that were played in turn before newer ones`() throws {
    let folder = try TemporaryFolder()
    let store = try store(
      folder,
      [
        Made(interleaving: "x", arm: "A"),
        Made(device: StoreFixture.software, interleaving: "x", arm: "B"),
        Made(interleaving: "y", arm: "A"),
        Made(device: StoreFixture.software, interleaving: "y", arm: "B"),
        Made(kernel: "6.12.1"), Made(device: StoreFixture.software, kernel: "6.12.1"),
      ])
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[3], [4]])
    #expect(try chosen("vulkan:0", "cpu", by: .device, in: store) == [[4], [3]])
    #expect(try chosen("cpu", "cpu", by: .device, in: store) == [[3], [1]])
  }

  @Test func `takes runs that are alike before newer ones`() throws {
    let folder = try TemporaryFolder()
    let store = try store(
      folder,
      [
        Made(kernel: "6.12.1"), Made(device: StoreFixture.software, kernel: "6.12.1"),
        Made(kernel: "7.0.0"), Made(scenarios: ["device-slice"], kernel: "6.12.1"),
      ])
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[1], [2]])
    // Days apart is another machine.
    try store.database.execute(
      """
      UPDATE run SET started = '2026-11-20T06:00:00.000Z', ended = '2026-11-20T06:10:00.000Z'
        WHERE id = 1;
      """)
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[3], [2]])
    _ = try RunComparisonTests.add(Made(kernel: "6.12.1"), to: store)
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[5], [2]])
  }

  @Test func `looks at the newest runs alone`() throws {
    let folder = try TemporaryFolder()
    let newer = [Made](repeating: Made(kernel: "6.12.1", trials: 1), count: 50)
    let store = try store(
      folder, [Made(trials: 1), Made(device: StoreFixture.software, trials: 1)] + newer)
    #expect(try chosen("cpu", "vulkan:0", by: .device, in: store) == [[52], [2]])
  }

  @Test func `says that runs have no valid trial instead of calling them missing`() throws {
    let folder = try TemporaryFolder()
    let store = try store(folder, [Made(), Made(commit: "123456789", invalid: Set(0..<10))])
    #expect(throws: StoreError.noValidTrial(name: "commit 123456789", run: 2)) {
      try chosen("abcdef0", "123456789", by: .commit, in: store)
    }
    let error = StoreError.noValidTrial(name: "commit 123456789", run: 2)
    #expect(
      error.description == "no run of 'commit 123456789' has a valid trial\n"
        + "hint: `fmbench show 2` says why")
  }
}
