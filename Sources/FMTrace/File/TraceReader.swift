import FMCore
import Glibc

/// Reads a trace file, which may come from anywhere and may end in the middle.
package struct TraceReader {
  /// The most bytes of a file.
  package static let byteLimit = 256 << 20
  /// The most bytes of one line.
  package static let lineLimit = 8 << 20
  /// The most spans, and the most events.
  package static let spanLimit = 1_000_000
  /// The most attributes of one span.
  package static let attributeLimit = 64
  /// The most bytes of an attribute's name or of a name that is its value.
  package static let nameLimit = 4096

  private let path: String
  private var trace: Trace
  private var indices: [SpanID: Int] = [:]
  private var line = 1

  /// Reads the file at `path`.
  ///
  /// A last line without its end, which a killed program leaves, is left out and noted in
  /// ``Trace/isCut``. A span's parent began before it, so there are no cycles.
  /// - Throws: ``TraceError``, with the line and the byte where something is wrong.
  package static func read(_ path: String) throws(TraceError) -> Trace {
    try read(bytes(of: path), path: path)
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: ``TraceError``.
  package static func read(_ bytes: [UInt8], path: String) throws(TraceError) -> Trace {
    var start = 0
    var reader: TraceReader?
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A)
      let slice = bytes[start..<(end ?? bytes.count)]
      if end == nil {
        // No line feed: the program was stopped while it wrote this.
        guard reader != nil else { throw .notATrace(path: path) }
        reader?.trace.isCut = true
        break
      }
      guard slice.count <= lineLimit else {
        throw .tooLarge(path: path, what: "bytes in a line", limit: lineLimit)
      }
      if reader == nil {
        reader = try TraceReader(header: slice, path: path)
      } else {
        try reader?.take(slice, at: start)
      }
      start = slice.endIndex + 1
    }
    guard let reader else { throw .notATrace(path: path) }
    return reader.trace
  }

  private init(header bytes: ArraySlice<UInt8>, path: String) throws(TraceError) {
    self.path = path
    guard let value = try? TraceJSONReader.read(bytes), let version = value["fm_trace"]?.integer
    else { throw .notATrace(path: path) }
    guard version <= TraceLine.version else {
      throw .newerVersion(path: path, found: version, supported: TraceLine.version)
    }
    guard version >= 1, let start = value["t"]?.integer, start >= 0,
      let unix = value["unix_ns"]?.integer, unix >= 0, let program = value["program"]?.string,
      program.utf8.count <= Self.nameLimit
    else { throw .notATrace(path: path) }
    trace = Trace(
      header: TraceHeader(
        program: program, processID: value["pid"]?.integer ?? 0,
        start: MonotonicInstant(nanoseconds: UInt64(start)), startUnixNanoseconds: UInt64(unix),
        hasContent: value["content"]?.bool ?? false))
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(TraceError) {
    line += 1
    // Blank lines are what editors leave.
    if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { return }
    let value: TraceJSON
    do throws(JSONTreeFault) {
      value = try TraceJSONReader.read(bytes)
    } catch {
      throw malformed(offset + error.offset, error.reason)
    }
    if let id = value["b"] {
      try begin(spanID(id, offset), value, offset)
    } else if let id = value["e"] {
      try end(spanID(id, offset), value, offset)
    } else if let name = value["i"] {
      try event(name, value, offset)
    } else if let id = value["c"] {
      try content(spanID(id, offset), value, offset)
    } else if let count = value["dropped"]?.integer, count >= 0 {
      let (sum, overflows) = trace.droppedCount.addingReportingOverflow(count)
      trace.droppedCount = overflows ? .max : sum
    } else {
      throw malformed(offset, "a line of no known kind")
    }
  }

  private mutating func begin(
    _ id: SpanID, _ value: TraceJSON, _ offset: Int
  ) throws(TraceError) {
    guard trace.spans.count < Self.spanLimit else {
      throw .tooLarge(path: path, what: "spans", limit: Self.spanLimit)
    }
    guard indices[id] == nil else { throw malformed(offset, "span \(id.value) begins twice") }
    guard let kind = value["k"]?.string.flatMap({ SpanKind(rawValue: $0) }) else {
      throw malformed(offset, "a span of no known kind")
    }
    var parent: SpanID?
    if let given = value["p"] {
      let known = try spanID(given, offset)
      guard known < id else { throw malformed(offset, "a span's parent begins after it") }
      parent = known
    }
    indices[id] = trace.spans.count
    trace.spans.append(
      TraceSpan(
        id: id, kind: kind, parent: parent, begin: try instant(value, offset), end: nil,
        attributes: try attributes(value, offset)))
  }

  private mutating func end(_ id: SpanID, _ value: TraceJSON, _ offset: Int) throws(TraceError) {
    guard let index = indices[id], trace.spans[index].end == nil else {
      throw malformed(offset, "span \(id.value) ends and does not run")
    }
    let end = try instant(value, offset)
    guard end >= trace.spans[index].begin else {
      throw malformed(offset, "span \(id.value) ends before it begins")
    }
    let added = try attributes(value, offset)
    guard trace.spans[index].attributes.count + added.count <= Self.attributeLimit else {
      throw .tooLarge(path: path, what: "attributes in a span", limit: Self.attributeLimit)
    }
    trace.spans[index].end = end
    trace.spans[index].attributes += added
  }

  private mutating func event(
    _ name: TraceJSON, _ value: TraceJSON, _ offset: Int
  ) throws(TraceError) {
    guard trace.events.count < Self.spanLimit else {
      throw .tooLarge(path: path, what: "events", limit: Self.spanLimit)
    }
    guard let text = name.string, text.utf8.count <= Self.nameLimit else {
      throw malformed(offset, "an event's name is no name")
    }
    var span: SpanID?
    if let given = value["s"] { span = try spanID(given, offset) }
    trace.events.append(
      TraceEvent(
        name: text, span: span, instant: try instant(value, offset),
        attributes: try attributes(value, offset)))
  }

  private mutating func content(
    _ id: SpanID, _ value: TraceJSON, _ offset: Int
  ) throws(TraceError) {
    guard let index = indices[id] else {
      throw malformed(offset, "a text of span \(id.value), which is not there")
    }
    guard let key = value["key"]?.string, key.utf8.count <= Self.nameLimit,
      let text = value["text"]?.string
    else { throw malformed(offset, "a text without its name") }
    guard trace.spans[index].content.count < Self.attributeLimit else {
      throw .tooLarge(path: path, what: "texts in a span", limit: Self.attributeLimit)
    }
    trace.spans[index].content.append(TraceContent(key: key, text: text))
  }

  // MARK: Parts of a line

  private func malformed(_ offset: Int, _ reason: String) -> TraceError {
    .malformed(path: path, line: line, offset: offset, reason: reason)
  }

  private func spanID(_ value: TraceJSON, _ offset: Int) throws(TraceError) -> SpanID {
    guard let number = value.integer, number > 0 else {
      throw malformed(offset, "a span's id is no positive number")
    }
    return SpanID(value: UInt64(number))
  }

  private func instant(_ value: TraceJSON, _ offset: Int) throws(TraceError) -> MonotonicInstant {
    guard let time = value["t"]?.integer, time >= 0 else {
      throw malformed(offset, "no time")
    }
    return MonotonicInstant(nanoseconds: UInt64(time))
  }

  private func attributes(
    _ value: TraceJSON, _ offset: Int
  ) throws(TraceError) -> [TraceAttribute] {
    guard let given = value["a"] else { return [] }
    guard case .object(let members) = given else {
      throw malformed(offset, "attributes are no object")
    }
    guard members.count <= Self.attributeLimit else {
      throw .tooLarge(path: path, what: "attributes in a span", limit: Self.attributeLimit)
    }
    var result: [TraceAttribute] = []
    for (key, value) in members {
      guard key.utf8.count <= Self.nameLimit else {
        throw malformed(offset, "an attribute's name is too long")
      }
      switch value {
      case .integer(let count): result.append(TraceAttribute(key, .count(count)))
      case .number(let measure): result.append(TraceAttribute(key, .measure(measure)))
      case .string(let name) where name.utf8.count <= Self.nameLimit:
        result.append(TraceAttribute(key, .name(name)))
      case .null: result.append(TraceAttribute(key, .measure(.nan)))
      default: throw malformed(offset, "the attribute '\(key)' is neither a number nor a name")
      }
    }
    return result
  }

  // MARK: The file

  private static func bytes(of path: String) throws(TraceError) -> [UInt8] {
    do {
      return try RegularFile.read(path, limit: byteLimit)
    } catch {
      switch error {
      case .inaccessible(let code): throw .inaccessible(path: path, code: code)
      case .notRegular(let kind): throw .notRegularFile(path: path, kind: kind)
      case .tooLong: throw .tooLarge(path: path, what: "bytes", limit: byteLimit)
      }
    }
  }
}
