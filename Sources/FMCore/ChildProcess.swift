package import Glibc

/// A program that this one started, and whose end it is told.
///
/// It stays in this process's group, so that Ctrl-C reaches it, too. Whoever starts one asks for its end
/// until it is told, or the system keeps the child's number for ever.
package struct ChildProcess: Sendable {
  /// Its number.
  package let id: pid_t

  /// How a program ended.
  package enum End: Sendable, Hashable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// What the system said instead of starting a program or telling its end; ``code`` is an `errno`.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package var code: Int32

    package var description: String { String(cString: strerror(code)) }
  }

  /// Starts `words`: the program, a path or a name that is looked up in `PATH`, then its arguments.
  ///
  /// `input`, `output` and `errors` are descriptors of this process, of which the child gets copies; all others
  /// that close on exec it does not get. `environment` adds to this process's own. What this process ignores
  /// or blocks of signals has its usual effect on the child.
  /// - Throws: ``Failure``, with `ENOENT` where there is no such program.
  package init(
    _ words: [String], input: Int32, output: Int32, errors: Int32,
    environment: [String: String] = [:]
  ) throws(Failure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, own) in [input, output, errors].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, own, Int32(descriptor))
    }
    var attributes = Self.usualSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    var variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    variables += Self.inheritedVariables(except: Set(environment.keys))
    var child: pid_t = 0
    let code = Self.withStrings(words) { arguments in
      Self.withStrings(variables) {
        posix_spawnp(&child, words.first ?? "", &actions, &attributes, arguments, $0)
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    id = child
  }

  /// Two connected descriptors, the caller's to close: what is written to one is read from the other.
  ///
  /// They close on exec from the first moment on, so that no other child holds one open by accident; a pipe
  /// can't be made so with what Swift sees of the C library.
  package static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure(code: errno) }
    return (ends[0], ends[1])
  }

  /// How it ended; nil while it runs.
  ///
  /// It is told once.
  package func poll() throws(Failure) -> End? { try end(WNOHANG) }

  /// Blocks the thread until it ends, and says how.
  package func wait() throws(Failure) -> End {
    while true {
      if let end = try end(0) { return end }
    }
  }

  private func end(_ options: Int32) throws(Failure) -> End? {
    var status: Int32 = 0
    let result = waitpid(id, &status, options)
    if result < 0 {
      guard errno == EINTR else { throw Failure(code: errno) }
      return nil
    }
    guard result == id else { return nil }
    // The low seven bits are a signal's number, or 0 and the exit status follows.
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }

  /// Attributes that undo what this process ignores or blocks, so that the child can be stopped.
  private static func usualSignals() -> posix_spawnattr_t {
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
