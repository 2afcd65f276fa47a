import FMBackend

extension BenchReport {
  /// Why nothing is judged, in a sentence or two; nil where something is, or where nothing was measured.
  ///
  /// Only runs that were played in turn are judged, because a drift of the machine between two runs looks
  /// like a difference of what they measured.
  package var reasonForNoVerdict: String? {
    guard verdicts.isEmpty else { return nil }
    var devices: [ComparedDevice] = []
    for cell in cells where !cell.trials.isEmpty && !devices.contains(cell.device) {
      devices.append(cell.device)
    }
    guard let first = devices.first else { return nil }
    let hardware = devices.filter { $0.kind != DeviceDescription.Kind.softwareGPU.rawValue }
    if hardware.count > 1 {
      return "These runs were played one after the other, so a drift of the machine between them "
        + "would look like a difference. `fmbench compare \(hardware[0].selector) "
        + "\(hardware[1].selector)` plays both in turn and judges them, and so does "
        + "`fmbench run --device all`."
    }
    if devices.count > 1 {
      return "The only other device is a software GPU, a processor playing one: it shows that the "
        + "shaders work, and its times say nothing of hardware."
    }
    return "Only \(first.selector) was measured, and a verdict takes two sides played in turn: "
      + "`fmbench compare` with two devices, models, thread counts or cache types."
  }
}
