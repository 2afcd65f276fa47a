import Glibc

/// Keeps two pulls of one model apart, in this process and between processes.
///
/// The lock is the file's (`flock`), so it ends with the process however that ends; child processes
/// inherit it, so it also outlives a killed parent until its last download has stopped writing.
final class ModelPullLock {
  private let descriptor: Int32

  /// Takes the lock on `path`, waiting for another holder; `onWait` is called once before waiting.
  init(path: String, onWait: () -> Void) async throws {
    // No O_CLOEXEC: children are meant to inherit it.
    descriptor = open(path, O_RDWR | O_CREAT, 0o644)
    guard descriptor >= 0 else {
      throw ModelPullError.fileSystem(action: "create", path: path, code: errno)
    }
    var waits = false
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw ModelPullError.fileSystem(action: "lock", path: path, code: errno)
      }
      if !waits { onWait() }
      waits = true
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
