/// Reads the JSON object of one call, byte by byte.
///
/// Arguments that are an object or an array are passed on as they come; others, and those that come
/// before the name, are kept until they are whole.
struct ToolCallObject: Sendable {
  /// What a byte means for the object.
  enum Step: Sendable { case more, ended, wrong }

  /// What the object has said since it was asked last.
  struct Output: Sendable {
    var name: String?
    /// JSON text that goes on where the last one ended.
    var arguments: [UInt8] = []
  }

  private enum Place: Sendable { case object, firstKey, key, inKey, colon, value, inValue, comma }
  private enum Member: Sendable { case name, arguments, other }

  /// The most bytes of a key, of a name, and of arguments that are kept.
  private static let limits = (key: 256, name: 256, kept: 1 << 20)

  private let nameKey: String
  private let argumentsKey: String
  /// The names that make the object a call, where its form does not tell; the name comes first then.
  private let knownNames: Set<[UInt8]>?
  private var place = Place.object
  private var scan = JSONValueScan()
  private var member = Member.other
  private var kept: [UInt8] = []
  private var isStreaming = false
  private var earlyArguments: [UInt8]?
  private var hasArguments = false

  /// Whether the name is known.
  private(set) var hasName = false
  /// Whether the object has been opened.
  var hasBegun: Bool { place != .object }
  var output = Output()

  init(form: ToolCallForm, knownNames: Set<[UInt8]>?) {
    nameKey = form.nameKey
    argumentsKey = form.argumentsKey
    self.knownNames = knownNames
  }

  mutating func read(_ byte: UInt8) -> Step {
    if place == .inKey || place == .inValue { return readScanned(byte) }
    if JSONText.isSpace(byte) { return .more }
    switch (place, byte) {
    case (.object, UInt8(ascii: "{")): place = .firstKey
    case (.firstKey, UInt8(ascii: "}")), (.comma, UInt8(ascii: "}")):
      return hasName ? .ended : .wrong
    case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
      begin(.inKey)
      return readScanned(byte)
    case (.colon, UInt8(ascii: ":")): place = .value
    case (.value, _):
      begin(.inValue)
      isStreaming =
        member == .arguments && hasName && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
      return readScanned(byte)
    case (.comma, UInt8(ascii: ",")): place = .key
    default: return .wrong
    }
    return .more
  }

  private mutating func begin(_ next: Place) {
    place = next
    scan = JSONValueScan()
    kept = []
    isStreaming = false
  }

  private mutating func readScanned(_ byte: UInt8) -> Step {
    let step = scan.read(byte)
    if step == .wrong { return .wrong }
    if step != .past {
      if isStreaming { output.arguments.append(byte) } else { kept.append(byte) }
      let limit =
        place == .inKey ? Self.limits.key : member == .name ? Self.limits.name : Self.limits.kept
      guard kept.count <= limit else { return .wrong }
    }
    if step == .inside { return .more }
    guard finishPart() else { return .wrong }
    return step == .past ? read(byte) : .more
  }

  /// Takes a whole key or value; false where it can't be part of a call.
  private mutating func finishPart() -> Bool {
    if place == .inKey {
      place = .colon
      guard let key = string(kept) else { return false }
      member = key == nameKey ? .name : key == argumentsKey ? .arguments : .other
      return knownNames == nil || hasName || member == .name
    }
    place = .comma
    switch member {
    case .other: return true
    case .name:
      guard !hasName, let name = string(kept) else { return false }
      if let knownNames, !knownNames.contains(Array(name.utf8)) { return false }
      hasName = true
      output.name = name
      if let earlyArguments { output.arguments += earlyArguments }
      earlyArguments = nil
      return true
    case .arguments:
      guard !hasArguments else { return false }
      hasArguments = true
      guard !isStreaming else { return true }
      let arguments = Self.unwrapped(kept)
      if hasName { output.arguments += arguments } else { earlyArguments = arguments }
      return true
    }
  }

  private func string(_ bytes: [UInt8]) -> String? {
    guard case .string(let text)? = try? JSONReader.value(of: bytes) else { return nil }
    return text
  }

  /// Arguments that were written as a string of JSON, or left out by `null`.
  private static func unwrapped(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.elementsEqual("null".utf8) { return [] }
    guard bytes.first == UInt8(ascii: "\""),
      case .string(let text)? = try? JSONReader.value(of: bytes),
      text.utf8.first(where: { !JSONText.isSpace($0) }) == UInt8(ascii: "{")
    else { return bytes }
    return Array(text.utf8)
  }
}
