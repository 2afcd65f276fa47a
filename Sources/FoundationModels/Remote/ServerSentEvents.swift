/// Reads the data of server-sent events out of bytes that come in any pieces.
///
/// Lines may end with LF, CR LF or CR; comments and fields other than `data` are skipped.
struct ServerSentEventReader {
  /// A server sent more than is read.
  struct LimitExceeded: Error, Equatable {
    var what: String
    var limit: Int
  }

  /// The most bytes of a line and of an event.
  static let lineLimit = 1 << 20
  static let eventLimit = 4 << 20

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var endedWithCR = false
  private var isFirstLine = true

  /// Takes bytes and gives the data of the events they complete.
  mutating func append(_ bytes: some Sequence<UInt8>) throws(LimitExceeded) -> [String] {
    var events: [String] = []
    for byte in bytes {
      if byte == 0x0A, endedWithCR {
        endedWithCR = false
        continue
      }
      endedWithCR = byte == 0x0D
      guard byte == 0x0A || byte == 0x0D else {
        if line.count == Self.lineLimit {
          throw LimitExceeded(what: "line", limit: Self.lineLimit)
        }
        line.append(byte)
        continue
      }
      if let event = try endLine() { events.append(event) }
    }
    return events
  }

  /// Takes the line that has ended; gives an event's data when the line was empty.
  private mutating func endLine() throws(LimitExceeded) -> String? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else {
      defer {
        data.removeAll(keepingCapacity: true)
        hasData = false
      }
      return hasData ? String(decoding: data, as: UTF8.self) : nil
    }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    guard name.elementsEqual("data".utf8) else { return nil }
    var value = line.dropFirst(name.count + 1)
    if value.first == 0x20 { value = value.dropFirst() }
    if hasData { data.append(0x0A) }
    hasData = true
    guard data.count + value.count <= Self.eventLimit else {
      throw LimitExceeded(what: "event", limit: Self.eventLimit)
    }
    data += value
    return nil
  }
}
