import FMCore
import Foundation
import Glibc
import Synchronization

/// A program that is started for a trial, loads the model, plays the trial, stores it and ends.
///
/// It is told the trial's row by `--trial=N` and when it was started by `--since=NS` of the monotonic clock,
/// which all processes of a machine share. Every line on its standard output is an announcement; its
/// standard input closes when it is to stop, which the end of this process does, too.
package struct TrialProcess: Sendable {
  /// The program's file.
  package var executable: String
  /// Its words but for those that differ from trial to trial.
  package var arguments: [String]

  /// Seconds that an interrupted process gets to end in order, before it is killed.
  package var patience = 15.0

  /// Describes a program; nothing is started yet.
  package init(executable: String, arguments: [String]) {
    self.executable = executable
    self.arguments = arguments
  }

  /// Starts the program for a trial and waits for its end.
  ///
  /// An interruption asks it to end in order.
  /// - Returns: what went wrong with the process; nil when it ended by itself with success.
  func play(
    _ trial: Int, interruption: Interruption, announce: (String) -> Void
  ) async -> String? {
    let (pieces, more) = AsyncStream.makeStream(of: Piece.self)
    let lifeline: Lifeline
    do throws(ChildProcess.Failure) {
      lifeline = try start(trial) { more.yield($0) }
    } catch {
      return "\(executable) cannot be started: \(error)"
    }
    let watch = interruption.watch { lifeline.cut(killingAfter: patience) }
    defer {
      interruption.unwatch(watch)
      lifeline.cut()
    }
    return await Self.end(of: pieces, announce)
  }

  /// Starts the program; what comes from it is handed to `yield` on a thread of its own.
  private func start(
    _ trial: Int, yield: @escaping @Sendable (Piece) -> Void
  ) throws(ChildProcess.Failure) -> Lifeline {
    let input = try ChildProcess.pipe()
    let lifeline = Lifeline(input.write)
    defer { close(input.read) }
    let output = try ChildProcess.pipe()
    defer { close(output.write) }
    let words =
      [executable] + arguments
      + ["--trial=\(trial)", "--since=\(MonotonicInstant.now.nanoseconds)"]
    do throws(ChildProcess.Failure) {
      let child = try ChildProcess(
        words, input: input.read, output: output.write, errors: STDERR_FILENO,
        environment: Self.environment(of: trial))
      lifeline.hold(child)
      Thread.detachNewThread {
        Self.read(output.read) { yield(.bytes($0)) }
        lifeline.hold(nil)
        close(output.read)
        yield(.end(Self.problem(of: child)))
      }
    } catch {
      close(output.read)
      throw error
    }
    return lifeline
  }

  /// What the process has of its own: a trace beside this process's, or both would write one file.
  private static func environment(of trial: Int) -> [String: String] {
    let variable = "FM_TRACE"
    guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else {
      return [:]
    }
    return [variable: tracePath(path, trial: trial)]
  }

  /// Where the process of a trial records its trace: `out/run.jsonl` becomes `out/trial-17-run.jsonl`.
  ///
  /// A path with `%p` is another one for every process already.
  static func tracePath(_ path: String, trial: Int) -> String {
    if path.contains("%p") { return path }
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
    let start = name ?? path.startIndex
    return "\(path[..<start])trial-\(trial)-\(path[start...])"
  }

  /// What comes from a process.
  private enum Piece: Sendable {
    case bytes([UInt8])
    case end(String?)
  }

  /// Hands over what is written, line by line, and gives what went wrong.
  private static func end(
    of pieces: AsyncStream<Piece>, _ announce: (String) -> Void
  ) async -> String? {
    var rest: [UInt8] = []
    for await piece in pieces {
      switch piece {
      case .bytes(let bytes):
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          announce(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeFirst(end + 1)
        }
      case .end(let problem): return problem
      }
    }
    return nil
  }

  private static func read(_ descriptor: Int32, _ yield: ([UInt8]) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { yield(Array(buffer[..<count])) }
      if count == 0 || count < 0 && errno != EINTR { return }
    }
  }

  private static func problem(of child: ChildProcess) -> String? {
    do throws(ChildProcess.Failure) {
      switch try child.wait() {
      case .exited(0): return nil
      case .exited(let status): return "the trial's process ended with code \(status)"
      case .signalled(let signal): return "the trial's process ended by signal \(signal)"
      }
    } catch {
      return "nobody knows how the trial's process ended: \(error)"
    }
  }

  /// The end of a pipe whose closing tells the process to stop.
  private final class Lifeline: Sendable {
    private struct State {
      var descriptor: Int32?
      /// The process while its output is open: until then its number can't be another's.
      var child: ChildProcess?
    }

    private let state: Mutex<State>

    init(_ descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { cut() }

    /// Notes which process it is that may be killed; nil when it may not any more.
    func hold(_ child: ChildProcess?) { state.withLock { $0.child = child } }

    /// Closes the end once, however often it is called.
    func cut() {
      state.withLock { state in
        if let descriptor = state.descriptor { close(descriptor) }
        state.descriptor = nil
      }
    }

    /// Closes the end, and kills the process if it goes on nevertheless: stopped, or with a device that hangs.
    func cut(killingAfter seconds: Double) {
      cut()
      Thread.detachNewThread { [self] in
        Thread.sleep(forTimeInterval: seconds)
        state.withLock { if let child = $0.child { kill(child.id, SIGKILL) } }
      }
    }
  }
}
