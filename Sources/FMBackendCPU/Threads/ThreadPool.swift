internal import CFMKernels
internal import Synchronization

/// The threads that every executor of the process shares; one job runs at a time.
///
/// The calling thread takes part as thread 0. Threads are started when a job first asks for them.
package final class ThreadPool: Sendable {
  /// The process's pool.
  package static let shared = ThreadPool(allowance: .current())

  /// What the process may use, as read when the pool was made.
  package let allowance: CPUAllowance

  private let threads = Mutex<Threads>(Threads())

  /// The pool's C part.
  ///
  /// SAFETY: the pointer is only used inside the mutex.
  private struct Threads: @unchecked Sendable {
    var pool: OpaquePointer?
    /// The most threads asked for so far.
    var asked = 0
  }

  /// Makes a pool without threads yet.
  package init(allowance: CPUAllowance) {
    self.allowance = allowance
  }

  deinit {
    threads.withLock { threads in
      if let pool = threads.pool { fm_pool_destroy(pool) }
    }
  }

  /// The threads to use when `requested` were asked for: at least 1, nil for the allowance's own
  /// choice, and no more than four for each that can run at once.
  package func clamp(_ requested: Int?) -> Int {
    guard let requested else { return allowance.defaultThreads }
    return max(1, min(requested, max(allowance.concurrency * 4, 4), 1024))
  }

  /// Runs `job` on `count` threads and returns when all are done.
  ///
  /// `context` is handed to every thread as it is.
  func run(threads count: Int, context: UnsafeMutableRawPointer, job: @escaping fm_job) {
    threads.withLock { threads in
      if threads.asked < count {
        if let smaller = threads.pool { fm_pool_destroy(smaller) }
        threads.pool = fm_pool_create(count)
        threads.asked = count
      }
      guard let pool = threads.pool else {
        job(context, nil, 0, 1)
        return
      }
      fm_pool_run(pool, count, spins(for: count), job, context)
    }
  }

  /// How long a wait may spin: some tens of microseconds, or not at all when threads share cores.
  private func spins(for count: Int) -> UInt32 { count <= allowance.concurrency ? 4_000 : 0 }
}
