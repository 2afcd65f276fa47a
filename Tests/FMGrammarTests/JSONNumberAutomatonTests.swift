import FMGrammar
import Testing

@Suite struct JSONNumberAutomatonTests {
  private static func accepts(_ automaton: ByteAutomaton?, _ text: String) -> Bool {
    automaton?.accepts(Array(text.utf8)) ?? false
  }

  /// An automaton, or nil if it would be empty.
  private static func orEmpty(
    _ make: () throws(GrammarError) -> ByteAutomaton
  ) throws -> ByteAutomaton? {
    do { return try make() } catch {
      guard case .empty = error else { throw error }
      return nil
    }
  }

  @Test func `integers in random bounds are exactly those of arithmetic`() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SmallRandom(seed)
    for round in 0..<150 {
      let low = random.below(500) - 250
      let high = low + random.below(260) - 5
      let divisor = round % 3 == 0 ? 1 + random.below(40) : 1
      let (isLowOpen, isHighOpen) = (random.below(2) == 0, random.below(2) == 0)
      var bounds = NumberBounds()
      if random.below(5) > 0 {
        if isLowOpen { bounds.exclusiveMinimum = "\(low)" } else { bounds.minimum = "\(low)" }
      }
      if random.below(5) > 0 {
        if isHighOpen { bounds.exclusiveMaximum = "\(high)" } else { bounds.maximum = "\(high)" }
      }
      let automaton = try Self.orEmpty { () throws(GrammarError) in
        try JSONNumberAutomaton.integers(bounds, multipleOf: divisor == 1 ? nil : "\(divisor)")
      }
      for value in -300...300 {
        let isIn =
          (bounds.minimum == nil || value >= low)
          && (bounds.exclusiveMinimum == nil || value > low)
          && (bounds.maximum == nil || value <= high)
          && (bounds.exclusiveMaximum == nil || value < high) && value % divisor == 0
        #expect(
          Self.accepts(automaton, "\(value)") == isIn, "\(value) in \(bounds), seed \(seed)")
      }
      for text in ["-0", "00", "01", "-01", "+1", "1.0", "1e2", "", "-", "0x1", " 1"] {
        #expect(!Self.accepts(automaton, text), "\(text)")
      }
    }
  }

  @Test func `integers without bounds fit sixty-four bits exactly`() throws {
    let all = try JSONNumberAutomaton.integers()
    for text in ["0", "9223372036854775807", "-9223372036854775808", "1234567890123456789", "-1"] {
      #expect(Self.accepts(all, text))
    }
    for text in ["9223372036854775808", "-9223372036854775809", "10000000000000000000", "-0"] {
      #expect(!Self.accepts(all, text))
    }
    let natural = try JSONNumberAutomaton.integers(NumberBounds(minimum: "0"))
    #expect(Self.accepts(natural, "9223372036854775807"))
    #expect(!Self.accepts(natural, "9223372036854775808"))
    #expect(!Self.accepts(natural, "-1"))
    let unsigned = try JSONNumberAutomaton.integers(
      NumberBounds(minimum: "0", maximum: "18446744073709551615"))
    #expect(Self.accepts(unsigned, "18446744073709551615"))
    #expect(!Self.accepts(unsigned, "18446744073709551616"))
    let large = try JSONNumberAutomaton.integers(NumberBounds(minimum: "1e19"))
    #expect(Self.accepts(large, "10000000000000000000"))
    #expect(!Self.accepts(large, "9999999999999999999"))
    let signed = try JSONNumberAutomaton.integers(
      NumberBounds(minimum: "-9223372036854775808", maximum: "9223372036854775807"))
    #expect(signed == all)
    let percent = try JSONNumberAutomaton.integers(NumberBounds(minimum: "0", maximum: "100"))
    #expect(percent.words(limit: 200)?.count == 101)
  }

  @Test func `fractional bounds of integers are rounded inwards`() throws {
    let few = try JSONNumberAutomaton.integers(NumberBounds(minimum: "-1.5", maximum: "2.5e0"))
    #expect(few.words(limit: 9) == ["-1", "0", "1", "2"].map { Array($0.utf8) })
    for bounds in [
      NumberBounds(minimum: "1.2", maximum: "1.8"), NumberBounds(minimum: "2", maximum: "1"),
      NumberBounds(minimum: "1", exclusiveMaximum: "1"),
      NumberBounds(exclusiveMinimum: "1", exclusiveMaximum: "2"),
    ] {
      #expect(
        try Self.orEmpty { () throws(GrammarError) in
          try JSONNumberAutomaton.integers(bounds)
        } == nil)
    }
  }

  @Test func `bounds at zero`() throws {
    let zero = NumberBounds(minimum: "0", maximum: "-0.0e5")
    #expect(try JSONNumberAutomaton.integers(zero).words(limit: 9) == [[0x30]])
    let none = try JSONNumberAutomaton.decimals(zero, fractionDigits: 2)
    #expect(none.words(limit: 9) == ["0", "0.0", "0.00"].map { Array($0.utf8) })
    let positive = try JSONNumberAutomaton.decimals(NumberBounds(exclusiveMinimum: "0"))
    let negative = try JSONNumberAutomaton.decimals(NumberBounds(exclusiveMaximum: "0"))
    for (text, isPositive) in [("0.001", true), ("7", true), ("-0.001", false), ("-7", false)] {
      #expect(Self.accepts(positive, text) == isPositive)
      #expect(Self.accepts(negative, text) == !isPositive)
    }
    for text in ["0", "0.0", "-0", "0.00"] {
      #expect(!Self.accepts(positive, text) && !Self.accepts(negative, text))
    }
    // Of two bounds on one side the narrower one holds, and the open one where they are equal.
    let both = NumberBounds(
      minimum: "3", exclusiveMinimum: "3", maximum: "6", exclusiveMaximum: "7")
    #expect(
      try JSONNumberAutomaton.integers(both).words(limit: 9)
        == ["4", "5", "6"].map { Array($0.utf8) })
  }

  @Test func `an open bound holds for doubles too`() throws {
    // 2^53 + 1 is 2^53 as a double.
    let above = try JSONNumberAutomaton.integers(
      NumberBounds(exclusiveMinimum: "9007199254740992"))
    #expect(!Self.accepts(above, "9007199254740993"))
    #expect(Self.accepts(above, "9007199254741020"))
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SmallRandom(seed)
    for _ in 0..<40 {
      let digits = 1 + random.below(19)
      let bound = (0..<digits).map { _ in "\(1 + random.below(9))" }.joined()
      let point = random.below(3) == 0 ? digits : random.below(digits + 1)
      let text =
        (point == 0 ? "0" : String(bound.prefix(point)))
        + (point == digits ? "" : "." + bound.dropFirst(point))
      let limit = try #require(Double(text))
      let numbers = try JSONNumberAutomaton.decimals(NumberBounds(exclusiveMinimum: text))
      let integers = try JSONNumberAutomaton.integers(NumberBounds(exclusiveMinimum: text))
      for _ in 0..<200 {
        let near = Self.neighbour(of: text, &random)
        let value = try #require(Double(near))
        if Self.accepts(numbers, near) || Self.accepts(integers, near) {
          #expect(value > limit, "\(near) above \(text), seed \(seed)")
        }
      }
    }
  }

  /// A number that differs from another in its last digits.
  private static func neighbour(of text: String, _ random: inout SmallRandom) -> String {
    var bytes = Array(text.utf8)
    for _ in 0...random.below(2) {
      let index = bytes.count - 1 - random.below(min(4, bytes.count))
      if bytes[index] != 0x2e { bytes[index] = UInt8(0x30 + random.below(10)) }
    }
    let tail = (0..<random.below(4)).map { _ in UInt8(0x30 + random.below(10)) }
    let result = bytes + (bytes.contains(0x2e) || tail.isEmpty ? [] : [0x2e]) + tail
    return String(decoding: result, as: UTF8.self)
  }

  @Test func `decimals of three digits in random bounds are exactly those of arithmetic`() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    var random = SmallRandom(seed)
    for _ in 0..<60 {
      // Bounds in thousandths.
      let low = random.below(4000) - 2000
      let high = low + random.below(2000)
      var bounds = NumberBounds()
      let (isLowOpen, isHighOpen) = (random.below(2) == 0, random.below(2) == 0)
      let (lowText, highText) = (Self.thousandths(low), Self.thousandths(high))
      if isLowOpen { bounds.exclusiveMinimum = lowText } else { bounds.minimum = lowText }
      if isHighOpen { bounds.exclusiveMaximum = highText } else { bounds.maximum = highText }
      let automaton = try Self.orEmpty { () throws(GrammarError) in
        try JSONNumberAutomaton.decimals(bounds)
      }
      for value in stride(from: -2500, through: 2500, by: 1) {
        let isIn =
          (isLowOpen ? value > low : value >= low) && (isHighOpen ? value < high : value <= high)
        var text = Self.thousandths(value)
        #expect(Self.accepts(automaton, text) == isIn, "\(text) in \(bounds), seed \(seed)")
        while text.hasSuffix("0") && text != "0" && text.contains(".") {
          text.removeLast()
          if text.hasSuffix(".") { text.removeLast() }
          #expect(Self.accepts(automaton, text) == isIn, "\(text) in \(bounds), seed \(seed)")
        }
      }
      for text in ["-0", "-0.0", "00.1", ".5", "1.", "01", "+1", "1e1", "-", ""] {
        #expect(!Self.accepts(automaton, text), "\(text)")
      }
    }
  }

  /// A number of thousandths with three digits behind the point.
  private static func thousandths(_ value: Int) -> String {
    let digits = String(1000 + abs(value) % 1000).dropFirst()
    return "\(value < 0 ? "-" : "")\(abs(value) / 1000).\(digits)"
  }

  @Test func `decimals that are multiples of a decimal are exactly those of arithmetic`() throws {
    for (text, units) in [("0.01", 10), ("0.25", 250), ("0.5", 500), ("1e-3", 1), ("1.5", 1500)] {
      let automaton = try JSONNumberAutomaton.decimals(
        NumberBounds(minimum: "-1.25", exclusiveMaximum: "2.2"), multipleOf: text)
      for value in -2500...2500 {
        let isIn = value >= -1250 && value < 2200 && value % units == 0
        var spelled = Self.thousandths(value)
        // No more digits behind the point than the divisor has.
        let digits = text.contains(".") ? text.utf8.count - 2 : 3
        for _ in digits..<3 where spelled.hasSuffix("0") { spelled.removeLast() }
        #expect(Self.accepts(automaton, spelled) == isIn, "\(spelled), \(text)")
      }
    }
    let whole = try JSONNumberAutomaton.decimals(
      NumberBounds(minimum: "0", maximum: "20"), multipleOf: "5")
    #expect(whole.words(limit: 9) == ["0", "10", "15", "20", "5"].map { Array($0.utf8) })
    let thirds = try JSONNumberAutomaton.integers(
      NumberBounds(minimum: "0", maximum: "7"), multipleOf: "1.5")
    #expect(thirds.words(limit: 9) == ["0", "3", "6"].map { Array($0.utf8) })
    let hundreds = try JSONNumberAutomaton.integers(
      NumberBounds(minimum: "-150", exclusiveMaximum: "400"), multipleOf: "100")
    #expect(hundreds.words(limit: 9) == ["-100", "0", "100", "200", "300"].map { Array($0.utf8) })
  }

  @Test func `numbers without bounds are finite doubles`() throws {
    let all = try JSONNumberAutomaton.decimals()
    for text in ["0", "0.0", "-1.5", "3.14159", "1e10", "6.02E+23", "-1.6e-19", "123456789012345"] {
      #expect(Self.accepts(all, text), "\(text)")
    }
    for text in ["-0", "-0.0", "1e400", "1e100", "1234567890123456", "1.", ".1", "01", "NaN", "1e"]
    {
      #expect(!Self.accepts(all, text), "\(text)")
    }
  }

  @Test func `small and large bounds keep their digits`() throws {
    let tiny = try JSONNumberAutomaton.decimals(
      NumberBounds(exclusiveMinimum: "1e-20", maximum: "3e-20"))
    #expect(Self.accepts(tiny, "0.00000000000000000002"))
    #expect(!Self.accepts(tiny, "0.00000000000000000001"))
    #expect(!Self.accepts(tiny, "0.00000000000000000004"))
    let huge = try JSONNumberAutomaton.decimals(NumberBounds(minimum: "12345678901234567890"))
    #expect(Self.accepts(huge, "12345678901234567890"))
    #expect(!Self.accepts(huge, "12345678901234567889"))
    let probability = try JSONNumberAutomaton.decimals(NumberBounds(minimum: "0", maximum: "1"))
    for (text, isIn) in [("0", true), ("0.75", true), ("1", true), ("1.0", true), ("1.01", false)] {
      #expect(Self.accepts(probability, text) == isIn)
    }
  }

  @Test func `hostile bounds end within a second`() {
    let texts = [
      "1e400", "-1e999999999999999999", String(repeating: "9", count: 900), "1e-400",
      String(repeating: "9", count: 100_000), "abc", "", "-", "1.", "NaN", "0x10", "01", "1e",
      "0." + String(repeating: "0", count: 250) + "1", "1e300", "1e-300",
    ]
    for text in texts {
      let seconds = processorSeconds {
        _ = try? JSONNumberAutomaton.integers(NumberBounds(minimum: text))
        _ = try? JSONNumberAutomaton.decimals(NumberBounds(exclusiveMaximum: text))
        _ = try? JSONNumberAutomaton.integers(multipleOf: text)
        _ = try? JSONNumberAutomaton.decimals(multipleOf: text)
      }
      #expect(seconds < 1, "\(text.prefix(20)) took \(seconds) s")
    }
    for divisor in ["9973", "7", "10000", "0.0007", "1000", "4096"] {
      let seconds = processorSeconds {
        _ = try? JSONNumberAutomaton.integers(multipleOf: divisor)
      }
      #expect(seconds < 1, "\(divisor) took \(seconds) s")
    }
    #expect(throws: GrammarError.self) { try JSONNumberAutomaton.integers(multipleOf: "0") }
    #expect(throws: GrammarError.self) { try JSONNumberAutomaton.integers(multipleOf: "-3") }
    #expect(throws: GrammarError.self) { try JSONNumberAutomaton.integers(multipleOf: "10007") }
    #expect(throws: GrammarError.self) {
      try JSONNumberAutomaton.integers(NumberBounds(minimum: "x"))
    }
  }
}
