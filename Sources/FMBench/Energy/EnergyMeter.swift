package import FMBackend
package import FMCore

/// What was taken between two readings; nil is "not known", never 0.
package struct EnergyUse: Sendable, Hashable {
  /// Of the processor.
  package var joules: Double?
  package var gpuJoules: Double?
  /// Where what is known was read: `rapl:package`, `rapl:package+nvml`.
  package var source: String?

  package init(joules: Double? = nil, gpuJoules: Double? = nil, source: String? = nil) {
    self.joules = joules
    self.gpuJoules = gpuJoules
    self.source = source
  }
}

/// What is known of a machine's energy before a run.
package struct EnergyBaseline: Sendable, Hashable, Codable {
  package var source: String
  /// How often a second the slowest counter changes, as far as reading it every millisecond shows.
  package var hertz: Double?
  /// Of all sources together, while the model was loaded and nothing ran.
  package var idleWatts: Double?

  package init(source: String, hertz: Double? = nil, idleWatts: Double? = nil) {
    self.source = source
    self.hertz = hertz
    self.idleWatts = idleWatts
  }

  /// `rapl:package, which changes 1000 times a second, 12.4 W idle`.
  package var text: String {
    let parts = [
      source, hertz.map { "which changes \(ReportTable.fixed($0, 0)) times a second" },
      idleWatts.map { "\(ReportTable.fixed($0, 1)) W idle" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// Reads the energy counters of a machine before and after a trial: two readings and nothing between.
///
/// It belongs to one task at a time.
package final class EnergyMeter {
  private let sources: [EnergySource]
  private var start: [[UInt64]?] = []
  private let now: () -> MonotonicInstant
  private let wait: (Double) async throws -> Void

  /// A meter of some counters.
  ///
  /// - Parameters:
  ///   - now: the clock.
  ///   - wait: sleeps so many seconds.
  package init(
    _ sources: [EnergySource], now: @escaping () -> MonotonicInstant = { .now },
    wait: @escaping (Double) async throws -> Void = {
      try await Task.sleep(for: .seconds($0))
    }
  ) {
    self.sources = sources
    self.now = now
    self.wait = wait
  }

  /// The counters of this machine for work on a device of it: the processor's, and a GPU's for a GPU.
  package convenience init(
    _ device: DeviceDescription, files: SystemFiles = SystemFiles(),
    nvml: () -> NVML? = { NVML.open() }
  ) {
    let isHere: [DeviceDescription.Kind] = [
      .cpu, .reference, .discreteGPU, .integratedGPU, .softwareGPU,
    ]
    var sources: [EnergySource] = []
    if isHere.contains(device.kind), let processor = EnergySource.processor(files) {
      sources.append(processor)
    }
    if device.kind == .discreteGPU, let gpu = nvml()?.energy(ofDeviceNamed: device.name) {
      sources.append(gpu)
    }
    self.init(sources)
  }

  /// Takes the first reading.
  package func begin() { start = sources.map { $0.read() } }

  /// Takes the second reading.
  ///
  /// - Returns: what was taken since ``begin()``; all nil where a machine tells nothing.
  package func end() -> EnergyUse {
    var use = EnergyUse()
    var names: [String] = []
    for (source, before) in zip(sources, start) {
      guard let joules = source.joules(from: before, to: source.read()) else { continue }
      names.append(source.name)
      if source.isGPU {
        use.gpuJoules = (use.gpuJoules ?? 0) + joules
      } else {
        use.joules = (use.joules ?? 0) + joules
      }
    }
    use.source = names.isEmpty ? nil : names.joined(separator: "+")
    return use
  }

  /// Looks at the idle machine for a second, and at how often its counters change for a quarter.
  ///
  /// - Returns: nil, at once, where there is no counter.
  /// - Throws: `CancellationError`, and what else the wait throws.
  package func baseline() async throws -> EnergyBaseline? {
    guard !sources.isEmpty else { return nil }
    let began = now()
    begin()
    try await wait(1)
    let use = end()
    let seconds = now().seconds(since: began)
    guard let source = use.source else { return nil }
    var baseline = EnergyBaseline(source: source)
    if seconds > 0 {
      baseline.idleWatts = ((use.joules ?? 0) + (use.gpuJoules ?? 0)) / seconds
    }
    baseline.hertz = try await hertz()
    return baseline
  }

  private func hertz() async throws -> Double? {
    var changes = sources.map { _ in 0 }
    var last = sources.map { $0.counters[0].microjoules() }
    let began = now()
    for _ in 0..<250 {
      try await wait(0.001)
      for (index, source) in sources.enumerated() {
        let value = source.counters[0].microjoules()
        if value != last[index] { changes[index] += 1 }
        last[index] = value
      }
    }
    let seconds = now().seconds(since: began)
    guard let least = changes.min(), least > 0, seconds > 0 else { return nil }
    return Double(least) / seconds
  }
}
