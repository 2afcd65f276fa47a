package import FMBackend

extension DeviceComparison {
  /// Says what to run next where there is no pair: the device and the scenario that are missing.
  ///
  /// `available` are this machine's devices, the processor first.
  package mutating func suggestNext(
    available: [DeviceDescription], scenarios: [String], model: String?
  ) {
    guard pairs.isEmpty, refusals.isEmpty else { return }
    let measured = Set(devices.map(\.selector))
    let wanted = BenchDevices.all(of: available)
    let missing = wanted.first { !measured.contains($0.selector) }
    let scenario = scenarios.isEmpty ? "device-slice" : scenarios.joined(separator: ",")
    let options = " --scenario \(scenario)" + (model.map { " --model \($0)" } ?? "")
    if devices.count > 1 {
      next =
        "No scenario was measured on more than one device."
        + "\nnext: fmbench run --device \(devices.map(\.selector).joined(separator: ","))\(options)"
    } else if let only = devices.first, let missing {
      next =
        "Only \(only.selector) was measured; comparing takes a second device."
        + "\nnext: fmbench run --device \(only.selector),\(missing.selector)\(options)"
    } else if let only = devices.first {
      next =
        "Only \(only.selector) was measured, and this machine shows no other device."
        + "\nnext: fm devices --diagnose"
    } else {
      next = "Nothing was measured yet.\nnext: fmbench run --device all --quick"
    }
  }
}
