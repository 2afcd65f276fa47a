internal import Glibc
internal import Synchronization

/// What the loader, the drivers and the validation layer had to say.
package final class VulkanMessageLog: Sendable {
  /// A message and how bad it is.
  package struct Message: Sendable, Hashable {
    package var isError: Bool
    package var text: String
  }

  private struct State {
    var errors = 0
    var warnings = 0
    var messages: [Message] = []
  }

  private static let kept = 64
  private let state = Mutex(State())

  private let echoes: Bool

  /// A log without messages; with `echoes` every message also goes to standard error as it comes.
  package init(echoes: Bool = false) { self.echoes = echoes }

  /// Messages of error severity so far.
  package var errorCount: Int { state.withLock { $0.errors } }
  /// Messages of warning severity so far.
  package var warningCount: Int { state.withLock { $0.warnings } }
  /// The first 64 messages.
  package var messages: [Message] { state.withLock { $0.messages } }

  /// Records a message; called on any thread.
  package func add(_ text: String, isError: Bool) {
    if echoes {
      let line = Array("vulkan: \(isError ? "error" : "warning"): \(text)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }
    state.withLock { state in
      if isError { state.errors += 1 } else { state.warnings += 1 }
      if state.messages.count < Self.kept {
        state.messages.append(Message(isError: isError, text: text))
      }
    }
  }
}
