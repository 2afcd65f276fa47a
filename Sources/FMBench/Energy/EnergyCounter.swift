import Foundation

/// A counter of energy that rises until it begins again.
package protocol EnergyCounter: Sendable {
  /// Microjoules since some moment in the past; nil when it cannot be read now.
  func microjoules() -> UInt64?
  /// The value after which it begins again at 0; nil when that is not known.
  var range: UInt64? { get }
}

extension EnergyCounter {
  /// Joules between two readings; nil when the counter fell and nobody knows where it turns.
  ///
  /// A counter that went round more than once reads too low: RAPL's turn after 65 to 262 kJ, more
  /// than ten minutes at 100 W.
  package func joules(from start: UInt64, to end: UInt64) -> Double? {
    if end >= start { return Double(end - start) / 1e6 }
    guard let range, start <= range else { return nil }
    return (Double(range - start) + Double(end)) / 1e6
  }
}

/// A counter in a file of one number, as Linux has them.
package struct EnergyFile: EnergyCounter {
  package var files: SystemFiles
  package var path: String
  package var range: UInt64?

  package init(files: SystemFiles, path: String, range: UInt64? = nil) {
    self.files = files
    self.path = path
    self.range = range
  }

  /// The number; nil when the file is missing, may not be read, or holds anything else.
  package func microjoules() -> UInt64? { files.line(path).flatMap { UInt64($0) } }
}

/// Counters that add up to what a processor or a GPU takes.
package struct EnergySource: Sendable {
  /// `rapl:package`, `hwmon` or `nvml`.
  package var name: String
  package var isGPU: Bool
  package var counters: [any EnergyCounter]

  package init(name: String, isGPU: Bool, counters: [any EnergyCounter]) {
    self.name = name
    self.isGPU = isGPU
    self.counters = counters
  }

  /// The processor's, from RAPL or else from a sensor chip; nil where all must not be read.
  package static func processor(_ files: SystemFiles) -> EnergySource? {
    rapl(files) ?? sensors(files)
  }

  /// Every package of `/sys/class/powercap`; its parts and the platform around it are not added.
  private static func rapl(_ files: SystemFiles) -> EnergySource? {
    let folder = "/sys/class/powercap"
    let counters = files.entries(folder).filter { zone in
      zone.hasPrefix("intel-rapl:") && zone.utf8.count { $0 == UInt8(ascii: ":") } == 1
        && files.line("\(folder)/\(zone)/name")?.hasPrefix("package") == true
    }.map { zone in
      EnergyFile(
        files: files, path: "\(folder)/\(zone)/energy_uj",
        range: files.line("\(folder)/\(zone)/max_energy_range_uj").flatMap { UInt64($0) })
    }
    return readable("rapl:package", counters)
  }

  /// The processor's sockets of `/sys/class/hwmon`, whose driver names them (`Esocket0`).
  ///
  /// Counters without such a name may be of a GPU, a board or a core, and are left alone.
  private static func sensors(_ files: SystemFiles) -> EnergySource? {
    let folder = "/sys/class/hwmon"
    var counters: [EnergyFile] = []
    for chip in files.entries(folder) {
      for entry in files.entries("\(folder)/\(chip)")
      where entry.hasPrefix("energy") && entry.hasSuffix("_input") {
        let label = files.line("\(folder)/\(chip)/\(entry.dropLast(6))_label")
        guard label?.hasPrefix("Esocket") == true else { continue }
        counters.append(EnergyFile(files: files, path: "\(folder)/\(chip)/\(entry)"))
      }
    }
    return readable("hwmon", counters)
  }

  /// A part of a machine's packages would pass for all of it, so one that is refused refuses all.
  private static func readable(_ name: String, _ counters: [EnergyFile]) -> EnergySource? {
    guard !counters.isEmpty, counters.allSatisfy({ $0.microjoules() != nil }) else { return nil }
    return EnergySource(name: name, isGPU: false, counters: counters)
  }

  /// All counters now; nil when one cannot be read.
  func read() -> [UInt64]? {
    let values = counters.compactMap { $0.microjoules() }
    return values.count == counters.count ? values : nil
  }

  /// Joules between two readings.
  func joules(from start: [UInt64]?, to end: [UInt64]?) -> Double? {
    guard let start, let end else { return nil }
    var sum = 0.0
    for (counter, values) in zip(counters, zip(start, end)) {
      guard let joules = counter.joules(from: values.0, to: values.1) else { return nil }
      sum += joules
    }
    return sum
  }
}
