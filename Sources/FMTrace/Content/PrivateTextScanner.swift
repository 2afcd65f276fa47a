/// Finds private forms in bytes of UTF-8 in one pass: no match costs more than a bounded look ahead.
struct PrivateTextScanner {
  struct Match: Equatable {
    var range: Range<Int>
    var rule: TraceRedactor.Rule
  }

  private static let secretPrefixes = [
    "sk-", "pk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "AKIA", "ASIA", "AIza", "xoxb-",
    "xoxp-", "hf_", "eyJ",
  ].map { Array($0.utf8) }
  private static let secretNames = [
    "password", "passwd", "passphrase", "secret", "api_key", "apikey", "api-key", "access_token",
    "token", "authorization",
  ].map { Array($0.utf8) }
  /// Enough for any number people have; also the bound of the look ahead.
  private static let digitLimit = 40
  /// The look ahead for an address or a secret; longer ones are found in parts.
  private static let runLimit = 256

  private let bytes: [UInt8]

  /// All matches in order; none overlaps another.
  static func matches(in bytes: [UInt8]) -> [Match] {
    let scanner = PrivateTextScanner(bytes: bytes)
    var result: [Match] = []
    var index = 0
    while index < bytes.count {
      if let match = scanner.match(at: index) {
        result.append(match)
        index = match.range.upperBound
      } else if isWord(bytes[index]) {
        index = scanner.end(of: index, where: isWord)
      } else {
        index += 1
      }
    }
    return result
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// A match that begins at `start`, which is the begin of a word or no part of one.
  private func match(at start: Int) -> Match? {
    guard
      Self.isWord(bytes[start]) || bytes[start] == UInt8(ascii: "+")
        || bytes[start] == UInt8(ascii: "(")
    else { return nil }
    return email(at: start) ?? named(at: start) ?? secret(at: start) ?? number(at: start)
  }

  // MARK: Forms

  private func email(at start: Int) -> Match? {
    let at = end(of: start, limit: Self.runLimit, where: Self.isLocalPart)
    guard at > start, at < bytes.count, bytes[at] == UInt8(ascii: "@") else { return nil }
    var stop = end(of: at + 1, limit: Self.runLimit) {
      Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == 0x2E
    }
    while stop > at + 1, bytes[stop - 1] == 0x2E || bytes[stop - 1] == UInt8(ascii: "-") {
      stop -= 1
    }
    guard bytes[(at + 1)..<stop].contains(0x2E) else { return nil }
    return Match(range: start..<stop, rule: .email)
  }

  /// The value in `password=value`, `token: value`, `Authorization: Bearer value`.
  private func named(at start: Int) -> Match? {
    let stop = end(of: start, where: Self.isWord)
    let word = bytes[start..<stop].map { $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) }
    let isBearer = word == Array("bearer".utf8)
    guard isBearer || Self.secretNames.contains(where: { word.ends(with: $0) }) else { return nil }
    var index = end(of: stop) { $0 == 0x20 || $0 == 0x22 || $0 == 0x27 }
    if !isBearer {
      guard index < bytes.count, bytes[index] == 0x3D || bytes[index] == 0x3A else { return nil }
      index = end(of: index + 1) { $0 == 0x20 || $0 == 0x22 || $0 == 0x27 }
      let next = end(of: index, where: Self.isWord)
      if bytes[index..<next].count == 6, next < bytes.count, bytes[next] == 0x20,
        bytes[index..<next].map({ $0 | 0x20 }) == Array("bearer".utf8)
      {
        index = next + 1
      }
    }
    let valueEnd = end(of: index) {
      $0 > 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != 0x2C && $0 != 0x3B && $0 != 0x7D
    }
    guard valueEnd - index >= (isBearer ? 8 : 3) else { return nil }
    return Match(range: start..<valueEnd, rule: .key)
  }

  private func secret(at start: Int) -> Match? {
    let stop = end(of: start, limit: Self.runLimit) {
      Self.isAlphanumeric($0) || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E || $0 == 0x2B || $0 == 0x2F
        || $0 == 0x3D
    }
    let run = bytes[start..<stop]
    let isPrefixed = Self.secretPrefixes.contains {
      run.count >= $0.count + 12 && run.starts(with: $0)
    }
    var hasDigit = false
    var hasLetter = false
    var separators = 0
    for byte in run {
      if Self.isDigit(byte) {
        hasDigit = true
      } else if Self.isAlphanumeric(byte) {
        hasLetter = true
      } else {
        separators += 1
      }
    }
    // Paths and dotted names have many separators, random text few.
    let isRandom = run.count >= 32 && hasDigit && hasLetter && separators * 8 <= run.count
    guard isPrefixed || isRandom else { return nil }
    return Match(range: start..<stop, rule: .key)
  }

  private func number(at start: Int) -> Match? {
    let isInternational = bytes[start] == UInt8(ascii: "+")
    // The fraction of a number is no account.
    if start >= 2, bytes[start - 1] == 0x2E, Self.isDigit(bytes[start - 2]) { return nil }
    var index = start
    if isInternational || bytes[index] == UInt8(ascii: "(") { index += 1 }
    guard index < bytes.count, Self.isDigit(bytes[index]) else { return nil }
    var stop = index
    var groups: [Int] = [0]
    var separators: [UInt8] = []
    var gap = 0
    while index < bytes.count, groups.reduce(0, +) < Self.digitLimit {
      let byte = bytes[index]
      if Self.isDigit(byte) {
        if gap > 0 { groups.append(0) }
        groups[groups.count - 1] += 1
        gap = 0
        stop = index + 1
      } else if gap < 2, Self.isSeparator(byte) {
        gap += 1
        separators.append(byte)
      } else {
        break
      }
      index += 1
    }
    // Letters right behind make it a part of a name: a version, a hash, a unit.
    if stop < bytes.count, Self.isWord(bytes[stop]), !Self.isDigit(bytes[stop]) { return nil }
    let digits = groups.reduce(0, +)
    let inside = separators.prefix(max(0, separators.count - gap))
    guard let rule = rule(digits, groups, inside, isInternational: isInternational) else {
      return nil
    }
    return Match(range: start..<stop, rule: rule)
  }

  private func rule(
    _ digits: Int, _ groups: [Int], _ separators: ArraySlice<UInt8>, isInternational: Bool
  ) -> TraceRedactor.Rule? {
    if isInternational { return digits >= 7 ? .phone : nil }
    if groups.count == 1 { return digits >= 9 ? .digits : nil }
    let isDecimal = groups.count == 2 && separators.first == 0x2E
    let isDate = groups == [4, 2, 2] || groups == [2, 2, 4] || groups == [1, 1, 4]
    if isDecimal || isDate { return nil }
    return digits >= 13 ? .digits : digits >= 7 ? .phone : nil
  }

  // MARK: Bytes

  /// The first index from `start` on whose byte is not what `belongs` takes.
  ///
  /// At most `limit` bytes are looked at.
  private func end(
    of start: Int, limit: Int = .max, where belongs: (UInt8) -> Bool
  ) -> Int {
    var index = start
    let last = limit < bytes.count - start ? start + limit : bytes.count
    while index < last, belongs(bytes[index]) { index += 1 }
    return index
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
  }

  /// Letters of other scripts are bytes from 0x80 on.
  private static func isWord(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == 0x5F || byte >= 0x80
  }

  private static func isLocalPart(_ byte: UInt8) -> Bool {
    isWord(byte) || byte == 0x2E || byte == 0x25 || byte == 0x2B || byte == 0x2D
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x2D || byte == 0x2E || byte == 0x28 || byte == 0x29 || byte == 0x2F
  }
}

extension Array<UInt8> {
  fileprivate func ends(with suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
  }
}
