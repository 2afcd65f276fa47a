/// Finds the calls of tools in an answer that comes in pieces, wherever those are cut.
///
/// What only looks like a call is let out as text, whole and once; of a call nothing is. White space
/// right before and after a call is dropped. A byte takes constant time, and no more than an opener, a
/// run of white space and a call's beginning up to its name are held back.
package struct ToolCallParser: Sendable {
  /// What was found, in order.
  package enum Event: Sendable, Hashable {
    /// Text of the answer.
    case text(String)
    /// A call of the tool with this name.
    case callBegan(name: String)
    /// JSON text at the end of the running call's arguments; a call may have none at all.
    case arguments(String)
    /// The running call is whole.
    case callEnded
    /// What began as a call, so far, can't become one; nothing follows.
    case malformed(String)
  }

  private enum State: Sendable {
    case text
    case object(ToolCallObject)
    /// After the object: so many bytes of the closer were read.
    case closing(Int)
    case broken
  }

  /// White space that is held back as it may stand before a call, and what a malformed call shows.
  private static let limits = (space: 64, shown: 4096)

  private let form: ToolCallForm
  private let knownNames: Set<[UInt8]>?
  private let opener: ByteMatcher?
  private let closer: [UInt8]
  private var state = State.text
  /// What is not let out yet: white space and what may be an opener, or a call's beginning.
  private var held: [UInt8] = []
  private var spaces = 0
  private var matched = 0
  /// Text and arguments that are let out at the end of a piece.
  private var text: [UInt8] = []
  private var events: [Event] = []
  /// The beginning of the running call, for its error.
  private var shown: [UInt8] = []
  /// Whether the answer has text, so that a call without an opener can't begin any more.
  private var hasText = false
  private var hasCall = false
  private var isAfterCall = false

  /// Looks for calls in a form; the names are needed where calls have no opener.
  package init(form: ToolCallForm, toolNames: [String]) {
    self.form = form
    let core = form.recognizedOpener
    opener = core.isEmpty ? nil : ByteMatcher(core)
    closer = form.closerCore
    knownNames = core.isEmpty ? Set(toolNames.map { Array($0.utf8) }) : nil
  }

  /// Whether a call was begun.
  package var hasCalls: Bool { hasCall }

  /// Takes more of the answer.
  package mutating func append(_ piece: String) -> [Event] {
    for byte in piece.utf8 { read(byte) }
    return flush()
  }

  /// Ends the answer: lets out what was held, or says that the last call is not whole.
  ///
  /// An opener at the very end is text, unless the answer was cut there.
  package mutating func finish(isCut: Bool = false) -> [Event] {
    switch state {
    case .text: if !isAfterCall || spaces < held.count { release(held.count) }
    case .object(let object):
      let isText = opener == nil ? !object.hasName : !object.hasBegun && !isCut
      if isText { release(held.count) } else { fail() }
    case .closing: endCall()
    case .broken: break
    }
    held = []
    state = .broken
    return flush()
  }

  private mutating func flush() -> [Event] {
    flushText()
    if case .object(var object) = state { collect(&object) }
    defer { events = [] }
    return events
  }

  private mutating func flushText() {
    guard !text.isEmpty else { return }
    events.append(.text(String(decoding: text, as: UTF8.self)))
    text = []
  }

  private mutating func read(_ byte: UInt8) {
    switch state {
    case .text: readText(byte)
    case .object(var object):
      state = .broken  // Releases the reader's storage, so that it changes in place.
      readObject(byte, &object)
    case .closing(let count): readCloser(byte, count)
    case .broken: break
    }
  }

  // MARK: Text

  private mutating func readText(_ byte: UInt8) {
    held.append(byte)
    guard let opener else { return readBeginning(byte) }
    let before = matched
    matched = opener.next(before, byte)
    if matched == opener.count {
      beginCall()
    } else if matched == 0, JSONText.isSpace(byte) {
      if before > 0 || spaces == Self.limits.space {
        release(held.count - 1)
        spaces = 0
      }
      spaces += 1
    } else if matched != before + 1 {
      release(held.count - matched)
      spaces = 0
    }
  }

  /// Text of a form without an opener: a call begins the answer, or follows another call.
  private mutating func readBeginning(_ byte: UInt8) {
    if JSONText.isSpace(byte), spaces < Self.limits.space {
      spaces += 1
    } else if byte == UInt8(ascii: "{"), !hasText, !hasCall || form.allowsSeveral {
      beginCall()
      read(byte)
    } else {
      release(held.count)
      spaces = 0
    }
  }

  private mutating func release(_ count: Int) {
    guard count > 0 else { return }
    hasText = true
    isAfterCall = false
    text += held[..<count]
    held.removeFirst(count)
  }

  // MARK: Calls

  /// Goes from text to an object; what is held stays, in case that it is none.
  private mutating func beginCall() {
    matched = 0
    if opener == nil { held.removeLast() }
    state = .object(ToolCallObject(form: form, knownNames: knownNames))
  }

  private mutating func readObject(_ byte: UInt8, _ object: inout ToolCallObject) {
    let wasNamed = object.hasName
    if !wasNamed { held.append(byte) }
    let step = object.read(byte)
    if object.hasName, shown.count < Self.limits.shown {
      shown += wasNamed ? [byte] : held
    }
    switch step {
    case .more:
      if object.hasName, !wasNamed {
        flushText()
        held = []
        spaces = 0
        hasCall = true
      }
      state = .object(object)
    case .ended:
      collect(&object)
      state = .closing(0)
      if closer.isEmpty { endCall() }
    case .wrong:
      if wasNamed {
        collect(&object)
        fail()
      } else {
        reject(byte)
      }
    }
  }

  /// Lets out what was taken for a call; the byte that told may begin another one.
  private mutating func reject(_ byte: UInt8) {
    state = .text
    held.removeLast()
    release(held.count)
    spaces = 0
    matched = 0
    read(byte)
  }

  private mutating func collect(_ object: inout ToolCallObject) {
    if let name = object.output.name { events.append(.callBegan(name: name)) }
    if !object.output.arguments.isEmpty {
      events.append(.arguments(String(decoding: object.output.arguments, as: UTF8.self)))
    }
    object.output = ToolCallObject.Output()
    if case .object = state { state = .object(object) }
  }

  private mutating func readCloser(_ byte: UInt8, _ count: Int) {
    if byte == closer[count] {
      state = .closing(count + 1)
      if count + 1 == closer.count { endCall() }
    } else if count > 0 || !JSONText.isSpace(byte) {
      // The call is whole; what follows is text, or another call.
      endCall()
      for other in closer[..<count] { read(other) }
      read(byte)
    }
  }

  private mutating func endCall() {
    events.append(.callEnded)
    isAfterCall = true
    state = .text
    shown = []
  }

  private mutating func fail() {
    let bytes = shown.isEmpty ? held : shown
    flushText()
    events.append(.malformed(String(decoding: bytes.prefix(Self.limits.shown), as: UTF8.self)))
    state = .broken
  }
}

/// Matches one pattern over bytes that come one by one (Knuth, Morris, Pratt 1977).
struct ByteMatcher: Sendable {
  private let pattern: [UInt8]
  private let borders: [Int]

  /// A pattern of at least one byte.
  init(_ pattern: [UInt8]) {
    precondition(!pattern.isEmpty, "a pattern has at least one byte")
    self.pattern = pattern
    var borders = [Int](repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  var count: Int { pattern.count }

  /// How much of the pattern is matched after a byte, where `matched` bytes of it were before.
  func next(_ matched: Int, _ byte: UInt8) -> Int {
    var matched = matched
    while matched > 0, pattern[matched] != byte { matched = borders[matched - 1] }
    return pattern[matched] == byte ? matched + 1 : 0
  }
}
