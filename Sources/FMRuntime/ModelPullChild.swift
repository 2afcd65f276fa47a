import FMCore
import Glibc

/// Runs another program and waits for it without blocking a thread.
enum ModelPullChild {
  /// Runs `words` (the program found on `PATH`, then its arguments) to its end.
  ///
  /// Standard input is empty, output and errors go to the file `log`. `tick` is called about 20 times a
  /// second. Cancelling the task stops the child. `environment` adds to this process's own.
  /// - Returns: the exit status; 128 plus the number for a signal; nil when there is no such program.
  static func run(
    _ words: [String], log: String, environment: [String: String] = [:], tick: () -> Void
  ) async throws -> Int32? {
    guard let child = try start(words, log: log, environment: environment) else { return nil }
    while true {
      do throws(ChildProcess.Failure) {
        switch try child.poll() {
        case .exited(let status): return status
        case .signalled(let signal): return 128 + signal
        case nil: break
        }
      } catch {
        throw ModelPullError.fileSystem(action: "wait for", path: words[0], code: error.code)
      }
      tick()
      do {
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        kill(child.id, SIGTERM)
        _ = try? child.wait()
        throw error
      }
    }
  }

  private static func start(
    _ words: [String], log: String, environment: [String: String]
  ) throws(ModelPullError) -> ChildProcess? {
    let input = try open("/dev/null", O_RDONLY)
    defer { close(input) }
    let output = try open(log, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(output) }
    do throws(ChildProcess.Failure) {
      return try ChildProcess(
        words, input: input, output: output, errors: output, environment: environment)
    } catch {
      if error.code == ENOENT { return nil }
      throw .fileSystem(action: "run", path: words[0], code: error.code)
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws(ModelPullError) -> Int32 {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .fileSystem(action: "open", path: path, code: errno) }
    return descriptor
  }
}
