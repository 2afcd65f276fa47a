/// Something a dispatch reads or writes.
struct DeviceAccess: Sendable, Hashable {
  /// What memory is told apart by.
  enum Resource: Sendable, Hashable {
    case storage(Int)
    case cache(layer: Int)
    case partialAttention
    case partialCandidates
    case quantizedActivations
    case results
  }

  var resource: Resource
  /// Columns, for storages; accesses of other columns do not meet.
  var columns: Range<Int>
  var isWrite: Bool

  static func read(_ slot: DispatchPlan.Slot) -> DeviceAccess {
    DeviceAccess(
      resource: .storage(slot.storage), columns: slot.column..<slot.column + slot.width,
      isWrite: false)
  }

  static func write(_ slot: DispatchPlan.Slot) -> DeviceAccess {
    DeviceAccess(
      resource: .storage(slot.storage), columns: slot.column..<slot.column + slot.width,
      isWrite: true)
  }

  static func read(_ resource: Resource) -> DeviceAccess {
    DeviceAccess(resource: resource, columns: 0..<1, isWrite: false)
  }

  static func write(_ resource: Resource) -> DeviceAccess {
    DeviceAccess(resource: resource, columns: 0..<1, isWrite: true)
  }

  func conflicts(with other: DeviceAccess) -> Bool {
    (isWrite || other.isWrite) && resource == other.resource && columns.overlaps(other.columns)
  }
}

/// Derives barriers from what dispatches say they read and write.
enum BarrierPlanner {
  /// Says before which dispatches a barrier must stand.
  ///
  /// One stands before a dispatch that reads or writes what one since the last barrier wrote, or
  /// writes what one since then read; nowhere else. The recording as a whole begins and ends with
  /// one of its own. Quadratic in the dispatches between two barriers, which are few.
  static func barriers(_ dispatches: [[DeviceAccess]]) -> [Bool] {
    var open: [DeviceAccess] = []
    return dispatches.map { accesses in
      let needed = accesses.contains { access in open.contains { $0.conflicts(with: access) } }
      if needed { open.removeAll(keepingCapacity: true) }
      open += accesses
      return needed
    }
  }
}
