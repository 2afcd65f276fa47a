import Glibc

/// Reads what a command is given to read: bytes of a file or of standard input, up to a limit.
package enum InputFile {
  /// The most bytes of one text: more than any context holds, and a bound for devices without an end.
  package static let byteLimit = 256 << 20

  /// The bytes of the file at `path`, or of standard input where it is `-`.
  ///
  /// - Throws: ``InputError`` when it cannot be read, is a folder, or has more than `limit` bytes.
  package static func read(
    _ path: String, limit: Int = byteLimit
  ) throws(InputError) -> [UInt8] {
    if path == "-" { return try bytes(of: STDIN_FILENO, name: "standard input", limit: limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(name: path, code: errno) }
    defer { close(descriptor) }
    return try bytes(of: descriptor, name: path, limit: limit)
  }

  private static func bytes(
    of descriptor: Int32, name: String, limit: Int
  ) throws(InputError) -> [UInt8] {
    var reader = DescriptorReader(descriptor, name: name)
    var result: [UInt8] = []
    while let part = try reader.next() {
      guard part.count <= limit - result.count else { throw .tooLong(name: name, limit: limit) }
      result += part
    }
    return result
  }
}

/// The lines of standard input, each with its length bounded.
package struct InputLines {
  /// The most bytes of one line.
  package static let byteLimit = 32 << 20

  private var reader: DescriptorReader
  private let limit: Int
  private var pending: ArraySlice<UInt8> = []

  /// Reads from a file descriptor, standard input unless told otherwise.
  package init(descriptor: Int32 = STDIN_FILENO, limit: Int = byteLimit) {
    reader = DescriptorReader(descriptor, name: "standard input")
    self.limit = limit
  }

  /// The next line without its line feed, bytes that are not UTF-8 as U+FFFD; nil at the end.
  ///
  /// - Throws: ``InputError`` when nothing can be read, or a line has more than the limit's bytes.
  package mutating func next() throws(InputError) -> String? {
    var line: [UInt8] = []
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        line += pending[..<end]
        pending = pending[(end + 1)...]
        return try text(line)
      }
      line += pending
      pending = []
      guard line.count <= limit else { throw .tooLong(name: "a line", limit: limit) }
      guard let part = try reader.next() else { return line.isEmpty ? nil : try text(line) }
      pending = part[...]
    }
  }

  private func text(_ line: [UInt8]) throws(InputError) -> String {
    guard line.count <= limit else { throw .tooLong(name: "a line", limit: limit) }
    return String(decoding: line, as: UTF8.self)
  }
}

/// A file descriptor read piece by piece.
private struct DescriptorReader {
  private let descriptor: Int32
  private let name: String
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// What one read gives; nil at the end.
  mutating func next() throws(InputError) -> [UInt8]? {
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(name: name, code: errno) }
      return count == 0 ? nil : Array(buffer[..<count])
    }
  }
}

/// Why a text could not be read.
package enum InputError: Error, Equatable, Sendable {
  /// The system refused: its error number.
  case unreadable(name: String, code: Int32)
  /// There are more bytes than are taken.
  case tooLong(name: String, limit: Int)
}

extension InputError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let name, let code):
      "cannot read \(name): \(String(cString: strerror(code)))"
        + "\nhint: give a readable file, or - for standard input"
    case .tooLong(let name, let limit):
      "\(name) has more than \(Format.bytes(limit))\nhint: give it in parts"
    }
  }
}
