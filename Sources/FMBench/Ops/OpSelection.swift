package import FMBackend
package import FMCore
package import FMOpCases

/// Which op cases are timed.
package struct OpSelection: Sendable, Hashable {
  /// How much of the table.
  package enum Extent: Sendable, Hashable {
    /// Ops in the shapes of models, with three types.
    case quick
    /// Those with every type, and some cases of every op from the table that tests use.
    case standard
    /// Those and the whole table.
    case all
  }

  package var extent: Extent
  /// Only this op; nil for all.
  package var op: String?
  /// Only weights of this type; nil for all.
  package var type: ElementType?

  package init(extent: Extent = .standard, op: String? = nil, type: ElementType? = nil) {
    self.extent = extent
    self.op = op
    self.type = type
  }

  /// The cases for a device of some kind: ops in the shapes of models first.
  package func cases(for kind: DeviceDescription.Kind) -> [OpCase] {
    let size: OpCases.Size =
      switch kind {
      case .cpu, .discreteGPU, .integratedGPU: .large
      case .softwareGPU: .small
      case .reference, .server: .tiny
      }
    let quickTypes: [ElementType] = [.q4_0, .q8_0, .f16]
    let types = type.map { [$0] } ?? (extent == .quick ? quickTypes : ElementType.allCases)
    var cases = OpCases.sized(size, types: types)
    switch extent {
    case .quick: break
    case .standard: cases += OpCases.quick(types: types)
    case .all: cases += OpCases.all()
    }
    return cases.filter(isWanted)
  }

  private func isWanted(_ item: OpCase) -> Bool {
    let found = item.program.ops[item.opIndex]
    if let op, found.name != op { return false }
    guard let type else { return true }
    guard let weight = found.weightIDs.first else { return false }
    return item.elementTypes[weight.index] == type
  }

  /// The names of the ops that the table has cases of, in its order.
  package static func opNames() -> [String] {
    var names: [String] = []
    for item in OpCases.sized(.tiny, types: [.f32]) + OpCases.quick(types: [.f32]) {
      let name = item.program.ops[item.opIndex].name
      if !names.contains(name) { names.append(name) }
    }
    return names
  }
}
