import Glibc

/// Runs another program and waits for it without blocking a thread.
///
/// The child stays in this process's group, so that Ctrl-C reaches it too.
enum ModelPullChild {
  /// Runs `words` (the program found on `PATH`, then its arguments) to its end.
  ///
  /// Standard input is empty, output and errors go to the file `log`. `tick` is called about 20 times a
  /// second. Cancelling the task stops the child. `environment` adds to this process's own.
  /// - Returns: the exit status; 128 plus the number for a signal; nil when there is no such program.
  static func run(
    _ words: [String], log: String, environment: [String: String] = [:], tick: () -> Void
  ) async throws -> Int32? {
    guard let child = try spawn(words, log: log, environment: environment) else { return nil }
    var status: Int32 = 0
    while true {
      let result = waitpid(child, &status, WNOHANG)
      if result == child { break }
      if result < 0, errno != EINTR {
        throw ModelPullError.fileSystem(action: "wait for", path: words[0], code: errno)
      }
      tick()
      do {
        try await Task.sleep(for: .milliseconds(50))
      } catch {
        kill(child, SIGTERM)
        waitpid(child, &status, 0)
        throw error
      }
    }
    // The low seven bits are a signal's number, or 0 and the exit status follows.
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func spawn(
    _ words: [String], log: String, environment: [String: String]
  ) throws -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = defaultSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    var variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    variables += inheritedVariables(except: Set(environment.keys))
    var child: pid_t = 0
    let code = withStrings(words) { arguments in
      withStrings(variables) {
        posix_spawnp(&child, words[0], &actions, &attributes, arguments, $0)
      }
    }
    if code == ENOENT { return nil }
    guard code == 0 else {
      throw ModelPullError.fileSystem(action: "run", path: words[0], code: code)
    }
    return child
  }

  /// Attributes that undo what this process ignores or blocks, so that the child can be stopped.
  private static func defaultSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  private static func inheritedVariables(except names: Set<String>) -> [String] {
    var result: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      let name = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)[0]
      if !names.contains(String(name)) { result.append(text) }
      next += 1
    }
    return result
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
