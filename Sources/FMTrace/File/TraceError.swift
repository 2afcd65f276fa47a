import Glibc

/// What can be wrong with a trace file.
package enum TraceError: Error, Equatable, Sendable {
  /// The system refused to read or write it: its error number.
  case inaccessible(path: String, code: Int32)
  /// It is something else than a file: a pipe, a device, a folder.
  case notRegularFile(path: String, kind: String)
  /// It does not begin as a trace does.
  case notATrace(path: String)
  /// It was written by a newer version of this program.
  case newerVersion(path: String, found: Int, supported: Int)
  /// A line has a form that no version writes; lines count from 1, bytes from 0.
  case malformed(path: String, line: Int, offset: Int, reason: String)
  /// There is more in it than is taken.
  case tooLarge(path: String, what: String, limit: Int)
  /// A pattern of the user's is no regular expression.
  case invalidPattern(String, reason: String)
  /// A format that does not exist.
  case unknownFormat(String, known: [String])
}

extension TraceError: CustomStringConvertible {
  /// The message and, where there is something to do, a line that starts with `hint: `.
  package var description: String {
    switch self {
    case .inaccessible(let path, let code):
      "cannot use \(path): \(String(cString: strerror(code)))"
    case .notRegularFile(let path, let kind): "cannot use \(path): it is a \(kind), not a file"
    case .notATrace(let path):
      "\(path) is not a trace"
        + "\nhint: give a .jsonl file that FM_TRACE wrote, or a run of `fmbench runs`"
    case .newerVersion(let path, let found, let supported):
      "the trace \(path) has version \(found), and this program knows up to \(supported)"
        + "\nhint: use the newer program"
    case .malformed(let path, let line, let offset, let reason):
      "\(path), line \(line), byte \(offset): \(reason)"
    case .tooLarge(let path, let what, let limit):
      "\(path) has more than \(limit) \(what)"
    case .invalidPattern(let pattern, let reason):
      "'\(pattern)' is no regular expression: \(reason)"
    case .unknownFormat(let name, let known):
      "there is no trace format '\(name)'\nhint: there are \(known.joined(separator: ", "))"
    }
  }
}
