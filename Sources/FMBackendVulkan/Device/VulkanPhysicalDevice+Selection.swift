extension VulkanPhysicalDevice {
  /// The devices without duplicates: discrete ones first, then integrated, virtual, others, software.
  ///
  /// Where two drivers show one device the better driver stays. Devices of a kind keep the order of
  /// the drivers' listing.
  package static func listed(_ found: [VulkanPhysicalDevice]) -> [VulkanPhysicalDevice] {
    var kept: [VulkanPhysicalDevice] = []
    for device in found {
      if let twin = kept.firstIndex(where: { $0.isSame(as: device) }) {
        if device.driverRank < kept[twin].driverRank { kept[twin] = device }
      } else {
        kept.append(device)
      }
    }
    return kept.enumerated().sorted {
      ($0.element.kind.rawValue, $0.offset) < ($1.element.kind.rawValue, $1.offset)
    }.map(\.element)
  }

  /// The device to use when none is named: the first that is hardware and has what kernels need.
  ///
  /// Software devices are only used when named.
  package static func defaultIndex(_ listed: [VulkanPhysicalDevice]) -> Int? {
    listed.firstIndex {
      ($0.kind == .discrete || $0.kind == .integrated || $0.kind == .virtual)
        && $0.missingFeatures.isEmpty
    }
  }

  /// Equal identifiers, or the same place on the bus; software devices have neither.
  private func isSame(as other: VulkanPhysicalDevice) -> Bool {
    if let pciAddress, pciAddress == other.pciAddress { return true }
    return deviceUUID == other.deviceUUID && deviceUUID.contains { $0 != 0 }
  }

  /// Lower is better.
  private var driverRank: Int {
    switch driver {
    case .mesaRADV, .nvidia: 0
    case .amdOpenSource, .amdProprietary, .mesaNVK: 2
    case .mesaLLVMpipe: 3
    case .mesaDozen: 4
    case .intelMesa, nil: 1
    }
  }
}
