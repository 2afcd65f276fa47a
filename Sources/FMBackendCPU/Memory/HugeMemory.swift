internal import FMBackend
internal import Glibc

/// Zeroed memory from the kernel, page-aligned, on huge pages where the kernel grants them.
///
/// SAFETY: the bytes are written by one executor and its threads, ordered by the pool's barriers.
final class HugeMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int

  /// Maps at least `byteCount` bytes; pages are taken when they are first written.
  init(byteCount: Int, purpose: String) throws(BackendError) {
    let huge = 2 << 20
    let (padded, overflow) = max(byteCount, 1).addingReportingOverflow(huge - 1)
    guard byteCount >= 0, !overflow else {
      throw .outOfMemory(bytes: byteCount, purpose: purpose)
    }
    let length = byteCount < huge ? max(byteCount, 1) : padded / huge * huge
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0),
      memory != MAP_FAILED
    else { throw .outOfMemory(bytes: byteCount, purpose: purpose) }
    // Advice only: without huge pages all works, a little slower.
    if length >= huge { madvise(memory, length, MADV_HUGEPAGE) }
    start = memory
    self.byteCount = length
  }

  deinit { munmap(start, byteCount) }
}
