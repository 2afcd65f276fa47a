package import FMBackend
import FMCore
import Foundation

/// The machine a run was made on, as far as it tells; nil is "not known", never a guess.
package struct HostEnvironment: Sendable, Hashable, Codable {
  package var host: String?
  package var cpu: String?
  /// Of the processor's flags, those that decide which kernels run.
  package var cpuFlags: [String]
  package var onlineCores: Int?
  /// Cores this process may use: its affinity, cut by the cgroup's limit.
  package var usableCores: Int?
  package var physicalCores: Int?
  package var governor: String?
  package var frequencyMegahertz: Double?
  package var memoryBytes: Int?
  package var availableMemoryBytes: Int?
  package var usedSwapBytes: Int?
  package var kernel: String?
  package var operatingSystem: String?
  package var container: String?
  package var isVirtual: Bool?
  package var powerSource: String?
  package var temperatureCelsius: Double?
  package var loadAverage: Double?
  /// What the back end says of the device: instruction set, threads, driver.
  package var deviceDetails: [String]
  /// The GPU's name, its driver and the version of Vulkan; nil when the device is none.
  package var gpu: String?
  package var driver: String?
  package var vulkanVersion: String?
  /// Of the processor's kernels; nil when the device is no processor.
  package var instructionSet: String?

  package init(cpuFlags: [String] = [], deviceDetails: [String] = []) {
    self.cpuFlags = cpuFlags
    self.deviceDetails = deviceDetails
  }

  /// Reads the machine's state now.
  package static func capture(device: DeviceDescription? = nil) -> HostEnvironment {
    let files = SystemFiles()
    var host = HostEnvironment()
    if let device { host.read(device) }
    host.readProcessor(files)
    host.readMemory(files)
    host.readSystem(files)
    return host
  }

  /// Flags that select kernels, in the order they are stored.
  package static let relevantFlags = [
    "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
    "avx_vnni", "amx_tile", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm", "sve",
  ]

  package mutating func readProcessor(_ files: SystemFiles) {
    let processors = files.records("/proc/cpuinfo")
    let first = processors.first ?? [:]
    cpu = first["model name"] ?? first["Model"] ?? first["Processor"]
    let flags = Set((first["flags"] ?? first["Features"] ?? "").split(separator: " "))
    cpuFlags = Self.relevantFlags.filter { flags.contains(Substring($0)) }
    isVirtual = first["flags"] == nil ? nil : flags.contains("hypervisor")
    onlineCores = processors.isEmpty ? nil : processors.count
    let cores = Set(
      processors.compactMap { record -> String? in
        guard let core = record["core id"] else { return nil }
        return (record["physical id"] ?? "0") + ":" + core
      })
    physicalCores = cores.isEmpty ? nil : cores.count
    usableCores = files.usableCores()
    let folder = "/sys/devices/system/cpu/cpu0/cpufreq/"
    governor = files.line(folder + "scaling_governor")
    frequencyMegahertz = files.currentMegahertz(processors)
  }

  /// Takes over what a back end says of its device.
  package mutating func read(_ device: DeviceDescription) {
    deviceDetails = device.details
    driver = device.driver
    vulkanVersion = device.vulkanVersion
    instructionSet = device.instructionSet
    switch device.kind {
    case .discreteGPU, .integratedGPU, .softwareGPU: gpu = device.name
    case .cpu, .reference, .server: gpu = nil
    }
  }

  package mutating func readMemory(_ files: SystemFiles) {
    let memory = files.records("/proc/meminfo").first ?? [:]
    func bytes(_ key: String) -> Int? {
      memory[key].flatMap { Int($0.split(separator: " ").first ?? "") }.map { $0 * 1024 }
    }
    memoryBytes = bytes("MemTotal")
    availableMemoryBytes = bytes("MemAvailable")
    if let total = bytes("SwapTotal"), let free = bytes("SwapFree") { usedSwapBytes = total - free }
  }

  package mutating func readSystem(_ files: SystemFiles) {
    kernel = files.line("/proc/sys/kernel/osrelease")
    operatingSystem = files.releaseName()
    container = files.container()
    powerSource = files.powerSource()
    temperatureCelsius = files.hottestZone()
    loadAverage = files.loadAverage()
    host = files.hostIdentity()
  }
}
