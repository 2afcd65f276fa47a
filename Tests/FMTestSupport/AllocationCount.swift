import CFMTestHooks

/// Counts memory allocations, to show that a hot loop makes none.
package enum AllocationCount {
  /// Allocations that `body` made on the calling thread, in Swift or C.
  package static func during(_ body: () throws -> Void) rethrows -> Int {
    let before = fm_test_allocation_count()
    try body()
    return Int(fm_test_allocation_count() - before)
  }
}
