import Glibc
import Synchronization

/// A thread that runs an actor's jobs and, between them, the engine's steps.
///
/// Steps are not tasks: the thread calls `work` again and again as long as it says that there is
/// more, and takes the actor's waiting jobs before each call. An idle thread sleeps.
final class EngineThread: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isSignalled = false
    var isStopped = false
    var work: (@Sendable () -> Bool)?
  }

  /// The system's own thread number, 0 until the thread runs; tells whether a caller is on it.
  private let identity = Atomic<UInt>(0)
  private let state = Mutex(State())
  private let wakeUps: WakeUps

  init() { wakeUps = WakeUps() }

  /// Starts the thread; `work` runs one step and says whether there is more.
  ///
  /// The running thread keeps this object alive until ``stop()``.
  func start(work: @escaping @Sendable () -> Bool) {
    state.withLock { $0.work = work }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 8 << 20)
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let status = pthread_create(&thread, &attributes, threadMain, context)
    precondition(status == 0, "the engine's thread could not be made (error \(status))")
  }

  /// Says that there may be work; can be called from any thread.
  func signal() {
    state.withLock { $0.isSignalled = true }
    wakeUps.post()
  }

  /// Lets the thread end after the jobs it has; can be called from any thread, itself included.
  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.work = nil
    }
    wakeUps.post()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wakeUps.post()
  }

  func checkIsolated() {
    precondition(isCurrent, "called off the engine's thread")
  }

  /// Whether the caller runs on this thread.
  private var isCurrent: Bool {
    identity.load(ordering: .relaxed) == UInt(pthread_self())
  }

  fileprivate func run() {
    identity.store(UInt(pthread_self()), ordering: .relaxed)
    while true {
      wakeUps.wait()
      while runOnce() {}
      if state.withLock({ $0.isStopped && $0.jobs.isEmpty }) { return }
    }
  }

  /// Runs the jobs that wait and one step; false when there was neither.
  private func runOnce() -> Bool {
    let (jobs, work) = state.withLock { state in
      let taken = state.jobs
      state.jobs.removeAll(keepingCapacity: true)
      let work = state.isSignalled ? state.work : nil
      state.isSignalled = false
      return (taken, work)
    }
    for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    guard let work else { return !jobs.isEmpty }
    if work() { state.withLock { $0.isSignalled = true } }
    return true
  }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<EngineThread>.fromOpaque(context).takeRetainedValue().run()
  return nil
}

/// A counting semaphore of the system.
// SAFETY: POSIX semaphores may be used from any thread; the pointer never changes.
private final class WakeUps: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    semaphore.initialize(to: sem_t())
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func post() { sem_post(semaphore) }

  func wait() {
    while sem_wait(semaphore) != 0 {}
  }
}
