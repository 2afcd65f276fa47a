internal import CFMKernels
internal import Foundation
internal import Glibc

/// How many threads of work the process may run at once: affinity, physical cores, cgroup limits.
package struct CPUAllowance: Sendable, Hashable {
  /// Logical processors the process may run on.
  package var processors: Int
  /// Distinct physical cores among them.
  package var cores: Int
  /// Processors' worth of time the tightest cgroup limit leaves, rounded up; nil without a limit.
  package var quota: Int?

  package init(processors: Int, cores: Int, quota: Int?) {
    self.processors = processors
    self.cores = cores
    self.quota = quota
  }

  /// Threads to use when nobody says: one a physical core, no more than the limit allows.
  package var defaultThreads: Int { max(1, min(cores, quota ?? cores)) }

  /// Threads that can run at the same time.
  package var concurrency: Int { max(1, min(processors, quota ?? processors)) }

  /// What this process may use, read now from the system.
  package static func current() -> CPUAllowance {
    let allowed = affinity()
    return read(
      allowed: allowed, systemRoot: "/sys", processCgroup: text("/proc/self/cgroup") ?? "")
  }

  /// Reads core topology and cgroup limits below `systemRoot`; `processCgroup` is the text of
  /// `/proc/self/cgroup`.
  package static func read(
    allowed: [Int], systemRoot: String, processCgroup: String
  ) -> CPUAllowance {
    var cores = Set<String>()
    for processor in allowed {
      let folder = "\(systemRoot)/devices/system/cpu/cpu\(processor)/topology"
      if let core = text("\(folder)/core_id") {
        cores.insert("\(text("\(folder)/physical_package_id") ?? ""):\(core)")
      } else {
        cores.insert("cpu\(processor)")
      }
    }
    return CPUAllowance(
      processors: max(1, allowed.count), cores: max(1, cores.count),
      quota: quota(systemRoot: systemRoot, processCgroup: processCgroup))
  }

  /// The tightest limit of the process's cgroups and all their parents, in both versions.
  private static func quota(systemRoot: String, processCgroup: String) -> Int? {
    var tightest: Double?
    for line in processCgroup.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      let mounts: [String]
      if fields[1].isEmpty {
        mounts = ["\(systemRoot)/fs/cgroup", "\(systemRoot)/fs/cgroup/unified"]
      } else if controllers.contains("cpu") {
        mounts = ["\(systemRoot)/fs/cgroup/cpu", "\(systemRoot)/fs/cgroup/cpu,cpuacct"]
      } else {
        continue
      }
      for mount in mounts {
        for folder in ancestors(of: String(fields[2])) {
          guard let limit = limit(in: mount + folder) else { continue }
          tightest = min(tightest ?? limit, limit)
        }
      }
    }
    return tightest.map { max(1, Int($0.rounded(.up))) }
  }

  /// The path and every folder above it: `/a/b`, `/a`, and the root as an empty text.
  private static func ancestors(of path: String) -> [String] {
    var folders = [""]
    for part in path.split(separator: "/") where part != ".." {
      folders.append((folders.last ?? "") + "/" + part)
    }
    return folders
  }

  /// Processors' worth of time one cgroup folder allows.
  private static func limit(in folder: String) -> Double? {
    if let line = text("\(folder)/cpu.max") {
      let numbers = line.split(separator: " ").map { Double($0) }
      if numbers.count == 2, let quota = numbers[0], let period = numbers[1], period > 0 {
        return quota / period
      }
      return nil
    }
    if let quota = text("\(folder)/cpu.cfs_quota_us").flatMap(Double.init), quota > 0,
      let period = text("\(folder)/cpu.cfs_period_us").flatMap(Double.init), period > 0
    {
      return quota / period
    }
    return nil
  }

  private static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else {
      return nil
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The processors in the calling thread's affinity mask, ascending.
  private static func affinity() -> [Int] {
    // 8,192 processors: the kernel refuses a mask shorter than its own.
    var mask = [UInt8](repeating: 0, count: 1024)
    let bytes = fm_affinity(&mask, mask.count)
    guard bytes > 0 else { return Array(0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
    var processors: [Int] = []
    for (index, byte) in mask.prefix(bytes).enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (1 << bit) != 0 { processors.append(index * 8 + bit) }
    }
    return processors
  }
}
