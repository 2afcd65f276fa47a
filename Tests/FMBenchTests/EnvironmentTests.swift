import FMBench
import FMCore
import Foundation
import Testing

@Suite struct EnvironmentTests {
  /// Lays out files of a machine that is not this one.
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

  @Test func `reads a machine that tells everything`() throws {
    let processor = """
      processor\t: 0
      model name\t: A Processor 9000
      cpu MHz\t\t: 1500.000
      physical id\t: 0
      core id\t\t: 0
      flags\t\t: fpu avx2 fma avx512f avx512_vnni amx_int8 hypervisor

      processor\t: 1
      model name\t: A Processor 9000
      cpu MHz\t\t: 3200.500
      physical id\t: 0
      core id\t\t: 0
      flags\t\t: fpu avx2

      """
    let (folder, files) = try machine([
      "proc/cpuinfo": processor,
      "proc/self/status":
        "Name:\tx\nCpus_allowed_list:\t0-1\nVmRSS:\t  2048 kB\nVmHWM:\t 4096 kB\n",
      "sys/fs/cgroup/cpu.max": "150000 100000\n",
      "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
      "proc/meminfo":
        "MemTotal:       1000 kB\nMemAvailable:    400 kB\nSwapTotal:  50 kB\nSwapFree:  20 kB\n",
      "proc/sys/kernel/osrelease": "6.1.0-test\n",
      "proc/loadavg": "0.52 0.40 0.30 1/200 999\n",
      "etc/os-release": "NAME=x\nPRETTY_NAME=\"An OS 12\"\n",
      "etc/machine-id": "00112233445566778899aabbccddeeff\n",
      "run/.containerenv": "",
      "sys/class/power_supply/AC/type": "Mains\n",
      "sys/class/power_supply/AC/online": "1\n",
      "sys/class/thermal/thermal_zone0/temp": "41500\n",
      "sys/class/thermal/thermal_zone1/temp": "63250\n",
    ])
    var host = HostEnvironment()
    host.readProcessor(files)
    host.readMemory(files)
    host.readSystem(files)
    #expect(host.cpu == "A Processor 9000")
    #expect(host.cpuFlags == ["avx2", "fma", "avx512f", "avx512_vnni", "amx_int8"])
    #expect(host.onlineCores == 2)
    #expect(host.physicalCores == 1)
    #expect(host.usableCores == 2)
    #expect(host.isVirtual == true)
    #expect(host.governor == "performance")
    #expect(host.frequencyMegahertz == 3200.5)
    #expect(host.memoryBytes == 1_024_000)
    #expect(host.usedSwapBytes == 30 * 1024)
    #expect(host.kernel == "6.1.0-test")
    #expect(host.operatingSystem == "An OS 12")
    #expect(host.container == "podman")
    #expect(host.powerSource == "mains")
    #expect(host.temperatureCelsius == 63.25)
    #expect(host.loadAverage == 0.52)
    // The machine's own id does not leave the machine.
    #expect(host.host?.count == 16)
    #expect(host.host?.contains("0011") == false)
    let sample = files.sample(at: MonotonicInstant(nanoseconds: 1))
    #expect(sample.residentBytes == 2048 * 1024)
    #expect(sample.peakResidentBytes == 4096 * 1024)
    withExtendedLifetime(folder) {}
  }

  @Test func `a machine that tells nothing gives nils and no zeros`() throws {
    let (folder, files) = try machine([:])
    var host = HostEnvironment()
    host.readProcessor(files)
    host.readMemory(files)
    host.readSystem(files)
    #expect(host == HostEnvironment())
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    ("0-3,8", 5), ("0", 1), ("5-5", 1), ("", nil), ("3-1", nil), ("a", nil), ("1-2-3", nil),
    ("0-99999999999", nil), ("-1", nil),
  ])
  func `counts a list of ranges`(list: String, count: Int?) {
    #expect(SystemFiles.countOfRanges(list) == count)
  }

  @Test func `a quota cuts the usable cores`() throws {
    for (quota, cores) in [("max 100000", 8), ("100000 100000", 1), ("250000 100000", 3)] {
      let (folder, files) = try machine([
        "proc/self/status": "Cpus_allowed_list:\t0-7\n", "sys/fs/cgroup/cpu.max": quota + "\n",
      ])
      #expect(files.usableCores() == cores)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `a named commit wins over git`() {
    let named = BuildIdentity.current(environment: ["FMBENCH_COMMIT": "abcdef-dirty"])
    #expect(named.commit == "abcdef")
    #expect(named.isDirty == true)
    #expect(named.source == .environment)
    #expect(BuildIdentity.current(environment: ["FMBENCH_COMMIT": "abcdef"]).isDirty == false)
  }
}

@Suite struct DisturbanceTests {
  @Test func `reads how often memory was swapped in and heat throttled`() throws {
    let folder = try TemporaryFolder()
    let files = SystemFiles(root: folder.url.path)
    #expect(files.swappedInPages() == nil)
    #expect(files.throttleEvents() == nil)
    let manager = FileManager.default
    for (path, text) in [
      ("proc/vmstat", "nr_free_pages 5\npswpin 1234\npswpout 7\n"),
      ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
      ("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "4\n"),
      ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "many\n"),
      ("sys/devices/system/cpu/cpufreq/thermal_throttle/core_throttle_count", "100\n"),
    ] {
      let url = folder.url.appending(path: path)
      try manager.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    #expect(files.swappedInPages() == 1234)
    #expect(files.throttleEvents() == 7)
    let before = Disturbances(files)
    try "pswpin 1300\n".write(
      to: folder.url.appending(path: "proc/vmstat"), atomically: true, encoding: .utf8)
    var sample = ResourceSample(at: StoreFixture.instant(0))
    before.add(to: &sample, files)
    #expect(sample.swappedInPages == 66)
    #expect(sample.throttleEvents == 0)
    #expect(Disturbances.invalidReason(sample) == nil)
    sample.swappedInPages = 1000
    #expect(Disturbances.invalidReason(sample)?.contains("swap") == true)
    sample.throttleEvents = 1
    #expect(Disturbances.invalidReason(sample)?.contains("heat") == true)
  }
}
