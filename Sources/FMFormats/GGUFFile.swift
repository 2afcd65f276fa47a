/// A model in GGUF format, version 2 or 3, mapped into memory and checked as a whole.
///
/// Opening reads the header only; tensor bytes are touched when they are used. Every size the file
/// declares was checked against the bytes present, so nothing read through this object can be outside
/// the file. A split model is opened through any of its shards and appears as one file: the metadata is
/// the first shard's, the tensors are all shards'. The format: the `gguf.md` of the ggml project.
package final class GGUFFile: Sendable {
  /// The path given, also where that is a later shard of a split model.
  package let path: String
  /// The format's version.
  package let version: UInt32
  /// Metadata keys in the file's order.
  package let keys: [String]
  /// Tensors in the file's order, shard after shard.
  package let tensors: [GGUFTensor]

  private let mappings: [FileMapping]
  private let values: [String: GGUFValue]
  private let tensorIndices: [String: Int]

  /// Opens the file at `path`, and the other shards of a split model from the same folder.
  ///
  /// - Throws: ``GGUFError`` for the first thing found wrong.
  /// - Complexity: linear in the headers' bytes; a vocabulary of 262,144 tokens takes milliseconds.
  package convenience init(path: String) throws(GGUFError) {
    self.init(shards: try GGUFSplit.shards(openedAt: path), path: path)
  }

  /// Opens one file alone: a model, or a shard of a split one with its own tensors and metadata.
  package convenience init(shardAt path: String) throws(GGUFError) {
    self.init(
      shards: [try GGUFShard(mapping: try FileMapping(path: path), index: 0)], path: path)
  }

  /// Reads a whole model from memory; `name` stands for the path in errors.
  package convenience init(contents: [UInt8], name: String) throws(GGUFError) {
    let mapping = FileMapping(contents: contents, name: name)
    self.init(shards: [try GGUFShard(mapping: mapping, index: 0)], path: name)
  }

  private init(shards: [GGUFShard], path: String) {
    self.path = path
    version = shards[0].version
    keys = shards[0].keys
    values = shards[0].values
    mappings = shards.map(\.mapping)
    let all = shards.flatMap(\.tensors)
    tensors = all
    tensorIndices = Dictionary(
      uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })
  }

  /// The files the model consists of, in order.
  package var paths: [String] { mappings.map(\.path) }

  /// Bytes of all the model's files.
  package var byteCount: Int { mappings.reduce(0) { $0 + $1.bytes.count } }

  /// The elements of all tensors: the parameter count.
  package var elementCount: Int {
    // Can't overflow: every tensor's bytes are in a file, and formats have at most 32 elements a byte.
    tensors.reduce(0) { $0 + $1.elementCount }
  }

  /// The metadata value of `key`.
  package func value(_ key: String) -> GGUFValue? { values[key] }

  /// The text of `key`; nil when it is missing or not a string.
  package func string(_ key: String) -> String? { values[key]?.string?.text }

  /// The number of `key`; nil when it is missing, not an integer, or negative.
  package func unsigned(_ key: String) -> UInt64? { values[key]?.unsigned }

  /// The number of `key`; nil when it is missing, not an integer, or too large.
  package func integer(_ key: String) -> Int? { values[key]?.integer }

  /// The number of `key`, of any number type; nil when it is missing or not a number.
  package func double(_ key: String) -> Double? { values[key]?.double }

  /// The number of `key` rounded to a float; nil when it is missing or not a number.
  package func float(_ key: String) -> Float? { double(key).map { Float($0) } }

  /// The truth value of `key`; nil when it is missing or not a bool.
  package func bool(_ key: String) -> Bool? { values[key]?.bool }

  /// The array of `key`; nil when it is missing or not an array.
  package func array(_ key: String) -> GGUFArray? { values[key]?.array }

  /// The tensor called `name`.
  package func tensor(named name: String) -> GGUFTensor? {
    tensorIndices[name].map { tensors[$0] }
  }

  /// The bytes of one of this file's tensors, valid while this object lives.
  package func bytes(of tensor: GGUFTensor) -> UnsafeRawBufferPointer {
    let bytes = mappings[tensor.shard].bytes
    precondition(tensor.byteRange.upperBound <= bytes.count, "a tensor of another file")
    return UnsafeRawBufferPointer(rebasing: bytes[tensor.byteRange])
  }

  /// Gives back the memory that holds a tensor's bytes, until they are read again.
  ///
  /// Only a mapped file can; bytes in memory stay.
  package func release(_ tensor: GGUFTensor) {
    mappings[tensor.shard].release(tensor.byteRange)
  }
}
