import FMBackend
import FMBench
import FMCore
import Foundation
import Synchronization
import Testing

/// A counter that a test turns.
private final class TurnedCounter: EnergyCounter {
  private let values: Mutex<[UInt64?]>
  let range: UInt64?

  init(_ values: [UInt64?], range: UInt64? = nil) {
    self.values = Mutex(values)
    self.range = range
  }

  /// The next value; the last one stays.
  func microjoules() -> UInt64? {
    values.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
  }
}

/// Files of a machine that is not this one.
private func machine(_ files: [String: String]) throws -> (TemporaryFolder, SystemFiles) {
  let folder = try TemporaryFolder()
  for (path, text) in files {
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }
  return (folder, SystemFiles(root: folder.url.path))
}

private let rapl = "sys/class/powercap/intel-rapl:"

@Suite struct EnergyCounterTests {
  @Test func `adds the packages of a machine and leaves their parts and the platform alone`() throws
  {
    let (folder, files) = try machine([
      "\(rapl)0/name": "package-0\n", "\(rapl)0/energy_uj": "1000000\n",
      "\(rapl)0/max_energy_range_uj": "262143328850\n",
      "\(rapl)1/name": "package-1\n", "\(rapl)1/energy_uj": "5\n",
      "\(rapl)0:0/name": "core\n", "\(rapl)0:0/energy_uj": "7\n",
      "\(rapl)2/name": "psys\n", "\(rapl)2/energy_uj": "7\n",
      "sys/class/powercap/intel-rapl-mmio:0/name": "package-0\n",
      "sys/class/powercap/intel-rapl-mmio:0/energy_uj": "7\n",
      "sys/class/hwmon/hwmon0/energy1_input": "7\n",
      "sys/class/hwmon/hwmon0/energy1_label": "Esocket0\n",
    ])
    let source = try #require(EnergySource.processor(files))
    #expect(source.name == "rapl:package")
    #expect(source.counters.map { $0.microjoules() } == [1_000_000, 5])
    #expect(source.counters.map(\.range) == [262_143_328_850, nil])
    withExtendedLifetime(folder) {}
  }

  @Test func `takes the sockets of a sensor chip where there is no RAPL`() throws {
    let (folder, files) = try machine([
      "sys/class/hwmon/hwmon1/energy1_input": "3\n",
      "sys/class/hwmon/hwmon1/energy1_label": "Ecore000\n",
      "sys/class/hwmon/hwmon1/energy17_input": "90\n",
      "sys/class/hwmon/hwmon1/energy17_label": "Esocket0\n",
      "sys/class/hwmon/hwmon2/energy1_input": "5\n",
    ])
    let source = try #require(EnergySource.processor(files))
    #expect(source.name == "hwmon")
    #expect(source.counters.map { $0.microjoules() } == [90])
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["", "-5", "many", "1e9", "0x10", "99999999999999999999", "5 J"])
  func `a counter that holds no number is as good as none`(text: String) throws {
    let (folder, files) = try machine([
      "\(rapl)0/name": "package-0\n", "\(rapl)0/energy_uj": "\(text)\n",
    ])
    #expect(EnergySource.processor(files) == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func `a package that may not be read leaves all of them out`() throws {
    // Without the file, as with one that its owner alone may read.
    let (folder, files) = try machine([
      "\(rapl)0/name": "package-0\n", "\(rapl)0/energy_uj": "1\n",
      "\(rapl)1/name": "package-1\n",
    ])
    #expect(EnergySource.processor(files) == nil)
    withExtendedLifetime(folder) {}
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func `a counter that only root may read is absent`() throws {
    let (folder, files) = try machine([
      "\(rapl)0/name": "package-0\n", "\(rapl)0/energy_uj": "1\n",
    ])
    chmod(folder.path("\(rapl)0/energy_uj"), 0)
    #expect(EnergySource.processor(files) == nil)
  }

  @Test func `a counter begins again after its greatest value`() {
    let counter = TurnedCounter([0], range: 1_000_000)
    #expect(counter.joules(from: 400_000, to: 900_000) == 0.5)
    #expect(counter.joules(from: 900_000, to: 400_000) == 0.5)
    #expect(counter.joules(from: 900_000, to: 900_000) == 0)
    // A start beyond the range, and a fall that nobody explains.
    #expect(counter.joules(from: 2_000_000, to: 5) == nil)
    #expect(TurnedCounter([0]).joules(from: 9, to: 5) == nil)
    let wide = TurnedCounter([0], range: .max)
    #expect(wide.joules(from: .max, to: .max - 1) == Double(UInt64.max - 1) / 1e6)
  }
}

@Suite struct EnergyMeterTests {
  private func source(_ counters: [TurnedCounter], gpu: Bool = false) -> EnergySource {
    EnergySource(name: gpu ? "nvml" : "rapl:package", isGPU: gpu, counters: counters)
  }

  @Test func `tells the processor's from the GPU's and names both`() {
    let meter = EnergyMeter([
      source([TurnedCounter([0, 2_000_000]), TurnedCounter([5, 1_000_005])]),
      source([TurnedCounter([0, 7_000_000])], gpu: true),
    ])
    meter.begin()
    #expect(
      meter.end() == EnergyUse(joules: 3, gpuJoules: 7, source: "rapl:package+nvml"))
  }

  @Test func `what cannot be read at either end is not known, and never 0`() {
    for values in [[nil, 5], [5, nil], [5, 4]] as [[UInt64?]] {
      let meter = EnergyMeter([
        source([TurnedCounter(values)]), source([TurnedCounter([0, 1_000_000])], gpu: true),
      ])
      meter.begin()
      #expect(meter.end() == EnergyUse(gpuJoules: 1, source: "nvml"))
    }
    let none = EnergyMeter([])
    none.begin()
    #expect(none.end() == EnergyUse())
    #expect(EnergyMeter([source([TurnedCounter([5])])]).end() == EnergyUse())
  }

  @Test func `knows what the idle machine takes and how often its counter changes`() async throws {
    // Two watts, counted every fourth millisecond.
    final class Clocked: EnergyCounter {
      let range: UInt64? = nil
      let read: @Sendable () -> UInt64
      init(_ read: @escaping @Sendable () -> UInt64) { self.read = read }
      func microjoules() -> UInt64? { read() }
    }
    let clock = Clock()
    let counter = Clocked { clock.milliseconds / 4 * 4 * 2000 }
    let meter = EnergyMeter(
      [EnergySource(name: "rapl:package", isGPU: false, counters: [counter])],
      now: { MonotonicInstant(nanoseconds: clock.milliseconds * 1_000_000) },
      wait: { clock.advance(milliseconds: UInt64(($0 * 1000).rounded())) })
    let baseline = try await meter.baseline()
    #expect(baseline?.source == "rapl:package")
    #expect(baseline?.idleWatts == 2)
    #expect(abs((baseline?.hertz ?? 0) - 250) < 5)
    let nothing = EnergyMeter([], wait: { _ in Issue.record("waited") })
    #expect(try await nothing.baseline() == nil)
  }

  private final class Clock: Sendable {
    private let time = Mutex<UInt64>(0)
    var milliseconds: UInt64 { time.withLock { $0 } }
    func advance(milliseconds: UInt64) { time.withLock { $0 += milliseconds } }
  }

  @Test func `asks only for what belongs to the device`() throws {
    let (folder, files) = try machine([
      "\(rapl)0/name": "package-0\n", "\(rapl)0/energy_uj": "1\n",
    ])
    var asked = 0
    let meter = EnergyMeter(StoreFixture.device, files: files) {
      asked += 1
      return nil
    }
    meter.begin()
    #expect(meter.end() == EnergyUse(joules: 0, source: "rapl:package"))
    #expect(asked == 0)
    withExtendedLifetime(folder) {}
  }
}

/// Functions of a library whose every answer is chosen: C functions cannot capture, so they are here.
private enum FakeNVML {
  static func functions() -> NVML.Functions {
    NVML.Functions(
      initialize: { 0 },
      count: { count in
        count?.pointee = 3
        return 0
      },
      handle: { index, handle in
        handle?.pointee = OpaquePointer(bitPattern: UInt(index) + 1)
        return 0
      },
      name: { device, name, size in
        // The third name fills all there is and has no closing zero.
        let texts = ["NVIDIA One", "NVIDIA Two", String(repeating: "x", count: Int(size))]
        for (offset, byte) in texts[Int(bitPattern: device) - 1].utf8.enumerated() {
          name?[offset] = CChar(bitPattern: byte)
        }
        return 0
      },
      energy: { device, energy in
        energy?.pointee = UInt64(Int(bitPattern: device)) * 1000
        return 0
      })
  }
}

@Suite struct NVMLTests {
  @Test func `finds a device by its name with or without the maker's`() throws {
    let library = try #require(NVML(FakeNVML.functions()))
    for name in ["NVIDIA Two", "Two"] {
      let source = try #require(library.energy(ofDeviceNamed: name))
      #expect(source.name == "nvml" && source.isGPU)
      // Two joules in millijoules, as microjoules.
      #expect(source.counters.map { $0.microjoules() } == [2_000_000])
    }
    #expect(library.energy(ofDeviceNamed: "Three") == nil)
    #expect(library.energy(ofDeviceNamed: String(repeating: "x", count: 96)) != nil)
  }

  @Test func `a library that lies or refuses gives nothing`() throws {
    var functions = FakeNVML.functions()
    functions.initialize = { 9 }
    #expect(NVML(functions) == nil)

    functions = FakeNVML.functions()
    functions.energy = { _, energy in
      energy?.pointee = .max
      return 0
    }
    // More microjoules than there are numbers.
    #expect(NVML(functions)?.energy(ofDeviceNamed: "One") == nil)
    functions.energy = { _, _ in 3 }
    #expect(NVML(functions)?.energy(ofDeviceNamed: "One") == nil)

    functions = FakeNVML.functions()
    functions.count = { _ in 999 }
    #expect(NVML(functions)?.energy(ofDeviceNamed: "One") == nil)
    // Four billion devices, all alike: ends soon, and cannot be told apart.
    functions.count = { count in
      count?.pointee = .max
      return 0
    }
    functions.name = { _, name, _ in
      name?[0] = 65
      name?[1] = 0
      return 0
    }
    #expect(NVML(functions)?.energy(ofDeviceNamed: "A") == nil)
    functions.handle = { _, handle in
      handle?.pointee = nil
      return 0
    }
    #expect(NVML(functions)?.energy(ofDeviceNamed: "A") == nil)
    functions.name = { _, _, _ in 1 }
    functions.handle = FakeNVML.functions().handle
    #expect(NVML(functions)?.energy(ofDeviceNamed: "A") == nil)
  }

  @Test func `a library that is missing or another one is no library`() {
    #expect(NVML.open("libnobody-has-this.so.1") == nil)
    #expect(NVML.open("libm.so.6") == nil)
  }
}

/// A library like the driver's, compiled for a test.
private enum CompiledNVML {
  static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static let source = """
    #include <string.h>
    int nvmlInit_v2(void) { return 0; }
    int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }
    int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
      static int devices[2];
      *device = &devices[index];
      return 0;
    }
    int nvmlDeviceGetName(void *device, char *name, unsigned length) {
      void *first;
      nvmlDeviceGetHandleByIndex_v2(0, &first);
      strncpy(name, device == first ? "NVIDIA A" : "NVIDIA B", length);
      return 0;
    }
    int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy) {
      static unsigned long long now = 1ull << 40;
      *energy = now += 250;
      return 0;
    }
    """

  static func make(in folder: TemporaryFolder) throws -> String {
    let (input, library) = (folder.path("nvml.c"), folder.path("libnvml.so"))
    try source.write(toFile: input, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: compiler ?? "/usr/bin/cc")
    process.arguments = ["-shared", "-fPIC", "-o", library, input]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return library
  }
}

@Suite struct NVMLLibraryTests {
  @Test(.enabled(if: CompiledNVML.compiler != nil, "needs a C compiler"))
  func `a library is called as its header says`() throws {
    let folder = try TemporaryFolder()
    let library = try #require(NVML.open(try CompiledNVML.make(in: folder)))
    let gpu = DeviceDescription(selector: "vulkan:0", name: "B", kind: .discreteGPU, details: [])
    // A machine without files, so that the processor tells nothing.
    let meter = EnergyMeter(gpu, files: SystemFiles(root: folder.path("none"))) { library }
    meter.begin()
    // 250 millijoules from one reading to the next.
    #expect(meter.end() == EnergyUse(gpuJoules: 0.25, source: "nvml"))
  }
}

@Suite struct RecordedEnergyTests {
  private func play(_ meter: @escaping () -> EnergyMeter) async throws -> (BenchStore, RunReport) {
    let folder = try TemporaryFolder()
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    let suite = try Suite(folder: Suite.folder(program: nil))
    var options = RunOptions()
    options.scenarios = ["planner-handoff"]
    options.states = [.prewarmed]
    options.effort = .trials(3)
    options.gapScale = 0
    var arm = BenchArm(
      target: FakeTarget(),
      subject: RunSubject(model: StoreFixture.model, device: StoreFixture.device),
      encoding: WordEncoding(words: suite.texts.pad + suite.texts.filler))
    arm.deviceMemory = { 64_000_000 }
    var runner = BenchRunner(store: store, arms: [arm], suite: suite, options: options)
    runner.meter = { _ in meter() }
    #expect(try await runner.run(interruption: Interruption()) { _ in }.status == .finished)
    return (store, try store.report(run: 1))
  }

  @Test func `a trial's energy is stored and told for each token and session`() async throws {
    // One joule from each reading to the next.
    let readings = (0..<10_000).map { UInt64($0) * 1_000_000 }
    let (store, report) = try await play {
      EnergyMeter(
        [EnergySource(name: "rapl:package", isGPU: false, counters: [TurnedCounter(readings)])],
        wait: { _ in })
    }
    #expect(
      try store.lines("SELECT DISTINCT joules, gpu_joules, energy_source FROM sample")
        == ["1.0||rapl:package"])
    let metrics = report.cells[0].metrics
    #expect(metrics[.energy]?.median == 1)
    #expect(metrics[.energyPerToken]?.median == 1.0 / 400)
    // It plans in one session and writes in another.
    #expect(metrics[.energyPerSession]?.median == 0.5)
    #expect(metrics[.gpuMemory]?.median == 64)
    #expect(report.energy?.source == "rapl:package")
    #expect((report.energy?.idleWatts ?? 0) > 0)
    let table = try #require(ReportTable.costs(report))
    #expect(table.headings.contains("J/token"))
    #expect(ReportMarkdown(try store.benchReport()).text.contains("rapl:package"))
    let export = try store.trialExport(runs: [1])
    #expect(export.columns.contains("energy_per_token"))
  }

  @Test func `where nobody tells, everything is null`() async throws {
    let (store, report) = try await play { EnergyMeter([]) }
    #expect(
      try store.lines("SELECT DISTINCT joules, gpu_joules, energy_source FROM sample") == ["||"])
    #expect(
      try store.lines("SELECT energy_source, energy_hz, idle_watts FROM run") == ["||"])
    let metrics = report.cells[0].metrics
    #expect(metrics[.energy] == nil && metrics[.energyPerToken] == nil)
    #expect(ReportTable.costs(report)?.headings.contains("energy J") == false)
    // The process's own memory is known everywhere.
    #expect((metrics[.peakMemory]?.median ?? 0) > 1)
  }
}
