package import FMBackend

/// Which devices a run is made on.
package enum BenchDevices {
  /// What `all` stands for: the processor, then every GPU; software GPUs only where there is no other.
  package static func all(of devices: [DeviceDescription]) -> [DeviceDescription] {
    let hardware = devices.filter { $0.kind == .discreteGPU || $0.kind == .integratedGPU }
    let software = devices.first { $0.kind == .softwareGPU }
    let gpus = hardware.isEmpty ? [software].compactMap { $0 } : hardware
    return devices.filter { $0.kind == .cpu }.prefix(1) + gpus
  }

  /// Says which kinds of devices are missing, for a run on all of them; nil when a GPU is there.
  package static func note(on devices: [DeviceDescription]) -> String? {
    let kinds = Set(all(of: devices).map(\.kind))
    if kinds.contains(.discreteGPU) || kinds.contains(.integratedGPU) { return nil }
    if kinds.contains(.softwareGPU) {
      return "no GPU here: the software device runs a small slice, labelled as such"
    }
    return "no Vulkan device here, not even a software one: only the processor is measured"
      + "\nhint: `fm devices --diagnose` shows what was looked for"
  }
}
