/// The file naming of split models: `prefix-00001-of-00003.gguf`.
package struct GGUFSplitName: Sendable, Hashable {
  private static let suffix = ".gguf"

  /// Everything before the shard's number, folders included.
  package let prefix: String
  /// From 1.
  package let number: Int
  package let count: Int

  /// Names shard `number` of `count`.
  package init(prefix: String, number: Int, count: Int) {
    self.prefix = prefix
    self.number = number
    self.count = count
  }

  /// Takes a shard's path apart; nil when it does not follow the pattern.
  package init?(path: String) {
    let bytes = Array(path.utf8)
    // "-00001-of-00003.gguf" has 20 bytes.
    guard bytes.count >= 20, path.hasSuffix(Self.suffix) else { return nil }
    let tail = Array(bytes.suffix(20))
    guard
      tail[0] == UInt8(ascii: "-"), Array(tail[6..<10]) == Array("-of-".utf8),
      let number = Self.number(tail[1..<6]), let count = Self.number(tail[10..<15]),
      number >= 1, number <= count
    else { return nil }
    self.init(
      prefix: String(decoding: bytes.dropLast(20), as: UTF8.self), number: number, count: count)
  }

  /// The path of shard `number`.
  package func path(number: Int) -> String {
    "\(prefix)-\(Self.padded(number))-of-\(Self.padded(count))\(Self.suffix)"
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 5 - digits.utf8.count)) + digits
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}

/// Opens all shards of a model, given any one of them.
enum GGUFSplit {
  private static let numberKey = "split.no"
  private static let countKey = "split.count"
  private static let tensorCountKey = "split.tensors.count"

  /// The model's shards in order: `first` alone when the model is not split.
  static func shards(openedAt path: String) throws(GGUFError) -> [GGUFShard] {
    let opened = try FileMapping(path: path)
    let probe = try GGUFShard(mapping: opened, index: 0)
    let count = try splitCount(of: probe)
    guard count > 1 else { return [probe] }
    guard let name = GGUFSplitName(path: path) else {
      throw .splitMismatch(
        path: path, what: "the file name", expected: "NAME-00001-of-\(count).gguf",
        found: "another form")
    }
    guard name.count == count else {
      throw .splitMismatch(
        path: path, what: "the count in the name", expected: "\(count)", found: "\(name.count)")
    }
    return try assemble(name, count: count, path: path)
  }

  private static func assemble(
    _ name: GGUFSplitName, count: Int, path: String
  ) throws(GGUFError) -> [GGUFShard] {
    var shards: [GGUFShard] = []
    var missing: [String] = []
    for number in 1...count {
      let shardPath = name.path(number: number)
      do {
        let mapping = try FileMapping(path: shardPath)
        shards.append(try GGUFShard(mapping: mapping, index: number - 1))
      } catch {
        guard case .cannotOpen = error else { throw error }
        missing.append(shardPath)
      }
    }
    guard missing.isEmpty else {
      throw .splitMissing(path: path, missing: missing, count: count)
    }
    try check(shards)
    return shards
  }

  /// Checks that shards are of one model: their numbers and counts, and no tensor twice.
  private static func check(_ shards: [GGUFShard]) throws(GGUFError) {
    var names: Set<String> = []
    var declaredTotal: UInt64?
    for (index, shard) in shards.enumerated() {
      try expect(shard, numberKey, UInt64(index))
      try expect(shard, countKey, UInt64(shards.count))
      if let total = shard.values[tensorCountKey]?.unsigned {
        if let declaredTotal { try expect(shard, tensorCountKey, declaredTotal) }
        declaredTotal = total
      }
      try expectSameModel(shards[0], shard)
      for tensor in shard.tensors where !names.insert(tensor.name).inserted {
        throw .duplicateTensor(path: shard.mapping.path, tensor: tensor.name)
      }
    }
    if let declaredTotal, declaredTotal != UInt64(names.count) {
      throw .splitMismatch(
        path: shards[0].mapping.path, what: tensorCountKey, expected: "\(names.count)",
        found: "\(declaredTotal)")
    }
  }

  private static func expect(
    _ shard: GGUFShard, _ key: String, _ expected: UInt64
  ) throws(GGUFError) {
    let found = shard.values[key]?.unsigned
    guard found == expected else {
      throw .splitMismatch(
        path: shard.mapping.path, what: key, expected: "\(expected)",
        found: found.map { "\($0)" } ?? "nothing")
    }
  }

  /// Later shards may repeat general keys; where they do, they must agree with the first.
  private static func expectSameModel(
    _ first: GGUFShard, _ shard: GGUFShard
  ) throws(GGUFError) {
    for key in ["general.architecture", "general.name", "general.uuid"] {
      guard
        let expected = first.values[key]?.string?.text, let found = shard.values[key]?.string?.text
      else { continue }
      guard expected == found else {
        throw .splitMismatch(
          path: shard.mapping.path, what: key, expected: expected, found: found)
      }
    }
  }

  private static func splitCount(of shard: GGUFShard) throws(GGUFError) -> Int {
    guard let value = shard.values[countKey] else { return 1 }
    guard let count = value.integer, count >= 0, count <= 99_999 else {
      throw .invalidValue(
        path: shard.mapping.path, key: countKey, expected: "a number up to 99999",
        found: "a value of type \(value.type)")
    }
    return count
  }
}
