package import FMCore
import Foundation

/// Reads what Linux tells in `/proc`, `/sys` and `/etc`; `root` lets tests lay out their own.
package struct SystemFiles: Sendable {
  package var root: String

  package init(root: String = "") { self.root = root }

  /// A file's text, at most 4 MB of it; nil when it cannot be read.
  package func text(_ path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: root + path) else { return nil }
    defer { try? file.close() }
    // Files of /proc give a page or so a read, whatever is asked for.
    var bytes = Data()
    while bytes.count < 4_000_000, let part = try? file.read(upToCount: 65536), !part.isEmpty {
      bytes.append(part)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder, sorted; none when it cannot be read.
  package func entries(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []).sorted()
  }

  /// Begins to note anew how much memory of this process is resident at most.
  ///
  /// Systems that refuse keep the most since it began.
  package func resetPeakMemory() {
    guard let file = FileHandle(forWritingAtPath: root + "/proc/self/clear_refs") else { return }
    try? file.write(contentsOf: Data("5".utf8))
    try? file.close()
  }

  /// A file's first line without its surrounding space; nil when it is empty or missing.
  package func line(_ path: String) -> String? {
    let first = text(path)?.split(separator: "\n").first
      .map { $0.trimmingCharacters(in: .whitespaces) }
    return first.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Records of `key : value` lines that empty lines separate; the first of equal keys counts.
  package func records(_ path: String) -> [[String: String]] {
    var result: [[String: String]] = []
    var record: [String: String] = [:]
    for line in (text(path) ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        if !record.isEmpty { result.append(record) }
        record = [:]
        continue
      }
      guard let colon = line.firstIndex(of: ":") else { continue }
      let key = line[..<colon].trimmingCharacters(in: .whitespaces)
      if record[key] == nil {
        record[key] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
    }
    if !record.isEmpty { result.append(record) }
    return result
  }

  /// Cores by affinity, cut by a cgroup v2 quota (rounded up).
  package func usableCores() -> Int? {
    let allowed = records("/proc/self/status").first?["Cpus_allowed_list"]
    guard let cores = allowed.flatMap(Self.countOfRanges) else { return nil }
    guard let limit = line("/sys/fs/cgroup/cpu.max")?.split(separator: " "), limit.count == 2,
      let quota = Int(limit[0]), let period = Int(limit[1]), quota > 0, period > 0
    else { return cores }
    return max(1, min(cores, (quota - 1) / period + 1))
  }

  /// How many numbers a list like `0-3,8` names; nil when it is malformed.
  package static func countOfRanges(_ list: String) -> Int? {
    var count = 0
    for range in list.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
        first >= 0, first <= last, last < 1 << 20
      else { return nil }
      count += last - first + 1
    }
    return count == 0 ? nil : count
  }

  /// The highest frequency a core runs at now.
  package func currentMegahertz(_ processors: [[String: String]]) -> Double? {
    let reported = processors.compactMap { $0["cpu MHz"].flatMap(Double.init) }.max()
    let scaled = line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
      .flatMap(Double.init).map { $0 / 1000 }
    return scaled ?? reported
  }

  /// The distribution's own name for itself.
  package func releaseName() -> String? {
    let line = (text("/etc/os-release") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("PRETTY_NAME=") }
    return line.map { $0.dropFirst(12).trimmingCharacters(in: CharacterSet(charactersIn: "\"' ")) }
  }

  /// What kind of container this is in, by the marks that runtimes leave; nil when none is seen.
  package func container() -> String? {
    let files = FileManager.default
    if files.fileExists(atPath: root + "/.dockerenv") { return "docker" }
    if files.fileExists(atPath: root + "/run/.containerenv") { return "podman" }
    if files.fileExists(atPath: root + "/var/run/secrets/kubernetes.io") { return "kubernetes" }
    let groups = text("/proc/1/cgroup") ?? ""
    for name in ["docker", "kubepods", "lxc", "containerd"] where groups.contains(name) {
      return name == "kubepods" ? "kubernetes" : name
    }
    return nil
  }

  /// `mains` or `battery`; nil where no supply is listed.
  package func powerSource() -> String? {
    let folder = "/sys/class/power_supply"
    let supplies = (try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []
    var hasBattery = false
    for supply in supplies.sorted() {
      switch line("\(folder)/\(supply)/type") {
      case "Mains": if line("\(folder)/\(supply)/online") == "1" { return "mains" }
      case "Battery": hasBattery = true
      default: break
      }
    }
    return hasBattery ? "battery" : nil
  }

  /// The hottest thermal zone in degrees Celsius.
  package func hottestZone() -> Double? {
    let folder = "/sys/class/thermal"
    let zones = (try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []
    return zones.filter { $0.hasPrefix("thermal_zone") }
      .compactMap { line("\(folder)/\($0)/temp").flatMap(Double.init) }
      .map { $0 / 1000 }.max()
  }

  /// The load average of the last minute.
  package func loadAverage() -> Double? {
    line("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
  }

  /// Pages the machine has read back from swap since it booted.
  package func swappedInPages() -> Int? {
    for line in (text("/proc/vmstat") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "pswpin" { return Int(words[1]) }
    }
    return nil
  }

  /// How often heat has throttled a core or a package since the machine booted.
  package func throttleEvents() -> Int? {
    let folder = "/sys/devices/system/cpu"
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []
    var total: Int?
    for cpu in entries where cpu.hasPrefix("cpu") && Int(cpu.dropFirst(3)) != nil {
      for counter in ["core_throttle_count", "package_throttle_count"] {
        guard let count = line("\(folder)/\(cpu)/thermal_throttle/\(counter)").flatMap({ Int($0) })
        else { continue }
        total = (total ?? 0) &+ count
      }
    }
    return total
  }

  /// This process's memory and the machine's temperature and frequency, now.
  package func sample(at instant: MonotonicInstant) -> ResourceSample {
    let status = records("/proc/self/status").first ?? [:]
    func bytes(_ key: String) -> Int? {
      status[key].flatMap { Int($0.split(separator: " ").first ?? "") }.map { $0 * 1024 }
    }
    return ResourceSample(
      at: instant, residentBytes: bytes("VmRSS"), peakResidentBytes: bytes("VmHWM"),
      temperatureCelsius: hottestZone(),
      frequencyMegahertz: currentMegahertz(records("/proc/cpuinfo")))
  }
}
