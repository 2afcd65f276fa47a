package import FMBackend

extension DeviceDescription.Kind {
  /// How tables call it; a software GPU never passes for hardware.
  package var label: String {
    switch self {
    case .cpu: "CPU"
    case .discreteGPU: "GPU"
    case .integratedGPU: "integrated GPU"
    case .softwareGPU: "software GPU"
    case .reference: "reference"
    case .server: "server"
    }
  }
}

extension DeviceDescription {
  /// The device on one line: `llvmpipe (vulkan:0, software GPU, llvmpipe, Mesa 22.3.6)`.
  package var label: String {
    "\(name) (" + ([selector, kind.label] + details).joined(separator: ", ") + ")"
  }

  /// The driver's name and version; nil for a device that is no GPU or does not tell.
  package var driver: String? {
    guard isGPU else { return nil }
    let words = details.filter { !$0.hasPrefix(Self.vulkanPrefix) }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The version of Vulkan the driver speaks; nil where no detail names it.
  package var vulkanVersion: String? {
    guard isGPU, let detail = details.first(where: { $0.hasPrefix(Self.vulkanPrefix) }) else {
      return nil
    }
    return String(detail.dropFirst(Self.vulkanPrefix.count))
  }

  /// The instruction set of a processor's kernels; nil for other devices.
  package var instructionSet: String? {
    kind == .cpu ? details.first { RunSubject.threads([$0]) == nil } : nil
  }

  private var isGPU: Bool {
    kind == .discreteGPU || kind == .integratedGPU || kind == .softwareGPU
  }

  private static let vulkanPrefix = "Vulkan "
}
