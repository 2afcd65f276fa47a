/// What a command line gave: options by name, and positional arguments in order.
package struct Arguments: Sendable, Equatable {
  private var flags: Set<String> = []
  private var optionValues: [String: [String]] = [:]
  /// Arguments given by place.
  package private(set) var positionals: [String] = []

  /// Nothing given; a parser adds to it.
  package init() {}

  mutating func setFlag(_ name: String) { flags.insert(name) }

  mutating func addValue(_ value: String, for name: String) {
    optionValues[name, default: []].append(value)
  }

  mutating func addPositional(_ word: String) { positionals.append(word) }

  func has(_ name: String) -> Bool { flags.contains(name) || optionValues[name] != nil }

  /// Whether the flag was given.
  package func flag(_ name: String) -> Bool { flags.contains(name) }

  /// The option's value as it was given; nil when it was not.
  package func string(_ name: String) -> String? { optionValues[name]?.last }

  /// All values of an option that may be repeated.
  package func strings(_ name: String) -> [String] { optionValues[name] ?? [] }

  /// The positional argument at `index`, where so many were given.
  package func positional(_ index: Int) -> String? {
    index < positionals.count ? positionals[index] : nil
  }

  /// The option's value as a number in `range`; nil when it was not given.
  package func integer(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .invalidValue(option: "--\(name)", found: text, expected: Self.describe(range))
    }
    return number
  }

  /// The option's value as an unsigned number of 64 bits; nil when it was not given.
  package func unsigned(_ name: String) throws(UsageError) -> UInt64? {
    guard let text = string(name) else { return nil }
    guard let number = UInt64(text) else {
      throw .invalidValue(
        option: "--\(name)", found: text, expected: "a whole number from 0 to \(UInt64.max)")
    }
    return number
  }

  /// The option's value as a finite number in `range`; nil when it was not given.
  package func double(
    _ name: String, in range: ClosedRange<Double>
  ) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    guard let number = Double(text), number.isFinite, range.contains(number) else {
      throw .invalidValue(
        option: "--\(name)", found: text,
        expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The option's value as one of `choices`; nil when it was not given.
  package func choice(_ name: String, of choices: [String]) throws(UsageError) -> String? {
    guard let text = string(name) else { return nil }
    guard choices.contains(text) else {
      throw .invalidValue(
        option: "--\(name)", found: text, expected: "one of \(choices.joined(separator: ", "))")
    }
    return text
  }

  private static func describe(_ range: ClosedRange<Int>) -> String {
    range.upperBound == Int.max
      ? "a whole number from \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}
