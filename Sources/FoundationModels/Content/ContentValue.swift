/// What a ``GeneratedContent`` holds: a JSON value whose objects keep their members' order.
enum ContentValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([GeneratedContent])
  case structure(ContentProperties)
}

/// The members of a JSON object in order; a repeated key replaces the earlier value in place.
struct ContentProperties: Sendable {
  private(set) var keys: [String] = []
  private(set) var values: [GeneratedContent] = []
  /// Keyed by UTF-8, since `String` takes canonically equivalent keys for equal.
  private var positions: [[UInt8]: Int] = [:]

  init() {}

  init(_ members: [(String, GeneratedContent)]) {
    for (key, value) in members { self[key] = value }
  }

  var count: Int { keys.count }

  /// The value of `key`; setting nil is ignored.
  subscript(key: String) -> GeneratedContent? {
    get { positions[Array(key.utf8)].map { values[$0] } }
    set {
      guard let newValue else { return }
      let name = Array(key.utf8)
      if let position = positions[name] {
        values[position] = newValue
      } else {
        positions[name] = keys.count
        keys.append(key)
        values.append(newValue)
      }
    }
  }

  mutating func setValue(_ value: GeneratedContent, at index: Int) { values[index] = value }
}

extension ContentProperties: Equatable {
  static func == (left: ContentProperties, right: ContentProperties) -> Bool {
    left.keys.count == right.keys.count
      && zip(left.keys, left.values).allSatisfy { key, value in right[key] == value }
  }
}
