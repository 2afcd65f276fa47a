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

  /// What is played in turn: arms on hardware together, and each software device by itself.
  ///
  /// A software device would cut the scenarios of the others down to its own slice, and comparing it
  /// with them says nothing. The order is kept.
  package static func turns(of arms: [BenchArm]) -> [[BenchArm]] {
    let hardware: Set<DeviceDescription.Kind> = [.cpu, .discreteGPU, .integratedGPU]
    var turns: [[BenchArm]] = []
    var place: Int?
    for arm in arms {
      if let place, hardware.contains(arm.subject.device.kind) {
        turns[place].append(arm)
      } else {
        if hardware.contains(arm.subject.device.kind) { place = turns.count }
        turns.append([arm])
      }
    }
    return turns
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
