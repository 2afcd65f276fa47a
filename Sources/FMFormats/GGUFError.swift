/// Why a model file can't be used; every case says where, and what was expected and found.
package enum GGUFError: Error, Equatable, Sendable {
  case cannotOpen(path: String, code: Int32)
  case notRegularFile(path: String, kind: String)
  case empty(path: String)
  case cannotMap(path: String, byteCount: Int, code: Int32)
  case cannotWrite(path: String, code: Int32)

  /// The first bytes are not `GGUF`; `found` has up to 64 of them.
  case notGGUF(path: String, found: [UInt8])
  case bigEndian(path: String)
  case unsupportedVersion(path: String, version: UInt32)

  /// The file ends before the end of something it declares.
  case truncated(path: String, offset: Int, what: String, needed: UInt64, available: Int)
  /// A count is greater than the bytes that follow could hold.
  case countTooLarge(path: String, offset: Int, what: String, count: UInt64, most: Int)
  /// A count is greater than this reader accepts.
  case limitExceeded(path: String, what: String, count: UInt64, limit: Int)
  case invalidText(path: String, offset: Int, what: String)
  case duplicateKey(path: String, key: String)
  case unknownValueType(path: String, offset: Int, key: String, type: UInt32)
  case nestingTooDeep(path: String, offset: Int, key: String, limit: Int)
  case invalidBool(path: String, offset: Int, key: String, found: UInt8)
  case invalidAlignment(path: String, found: String)
  /// A metadata value is missing or not what the key needs.
  case invalidValue(path: String, key: String, expected: String, found: String)

  case duplicateTensor(path: String, tensor: String)
  case invalidDimensions(path: String, tensor: String, dimensions: [UInt64], reason: String)
  case unknownTensorType(path: String, tensor: String, type: UInt32)
  case misalignedTensor(path: String, tensor: String, offset: UInt64, alignment: Int)
  case tensorOutOfBounds(
    path: String, tensor: String, offset: UInt64, byteCount: Int, available: Int)
  case overlappingTensors(path: String, first: String, second: String)

  /// Shards of a split model are not beside the one opened.
  case splitMissing(path: String, missing: [String], count: Int)
  /// A shard contradicts the others or its own name.
  case splitMismatch(path: String, what: String, expected: String, found: String)
}

extension GGUFError: CustomStringConvertible {
  /// The message and, on a second line that starts with `hint: `, what to do.
  package var description: String {
    guard let hint else { return message }
    return "\(message)\nhint: \(hint)"
  }

  /// The file the error is about.
  package var path: String {
    switch self {
    case .cannotOpen(let path, _), .notRegularFile(let path, _), .empty(let path),
      .cannotMap(let path, _, _), .cannotWrite(let path, _), .notGGUF(let path, _),
      .bigEndian(let path), .unsupportedVersion(let path, _), .truncated(let path, _, _, _, _),
      .countTooLarge(let path, _, _, _, _), .limitExceeded(let path, _, _, _),
      .invalidText(let path, _, _), .duplicateKey(let path, _),
      .unknownValueType(let path, _, _, _), .nestingTooDeep(let path, _, _, _),
      .invalidBool(let path, _, _, _), .invalidAlignment(let path, _),
      .invalidValue(let path, _, _, _), .duplicateTensor(let path, _),
      .invalidDimensions(let path, _, _, _), .unknownTensorType(let path, _, _),
      .misalignedTensor(let path, _, _, _), .tensorOutOfBounds(let path, _, _, _, _),
      .overlappingTensors(let path, _, _), .splitMissing(let path, _, _),
      .splitMismatch(let path, _, _, _):
      path
    }
  }

  /// What is wrong, on one line and without control characters.
  package var message: String { "\(Self.printable(path)): \(problem)" }

  private var problem: String {
    switch self {
    case .cannotOpen, .notRegularFile, .empty, .cannotMap, .cannotWrite: fileProblem
    case .notGGUF, .bigEndian, .unsupportedVersion, .truncated, .countTooLarge, .limitExceeded,
      .invalidText:
      headerProblem
    case .duplicateKey, .unknownValueType, .nestingTooDeep, .invalidBool, .invalidAlignment,
      .invalidValue:
      metadataProblem
    case .duplicateTensor, .invalidDimensions, .unknownTensorType, .misalignedTensor,
      .tensorOutOfBounds, .overlappingTensors:
      tensorProblem
    case .splitMissing, .splitMismatch: splitProblem
    }
  }

  private var fileProblem: String {
    switch self {
    case .cannotOpen(_, let code): "can't open: \(systemMessage(code))"
    case .notRegularFile(_, let kind): "is a \(kind), not a file"
    case .empty: "the file is empty"
    case .cannotMap(_, let count, let code):
      "can't map \(count) bytes into memory: \(systemMessage(code))"
    case .cannotWrite(_, let code): "can't write: \(systemMessage(code))"
    default: ""
    }
  }

  private var headerProblem: String {
    switch self {
    case .notGGUF(_, let found):
      "not a GGUF file: it begins with \(Self.hexadecimal(found.prefix(4))), not 47 47 55 46"
    case .bigEndian: "a big-endian GGUF file, which is not supported"
    case .unsupportedVersion(_, let version):
      "GGUF version \(version); versions 2 and 3 are supported"
    case .truncated(_, let offset, let what, let needed, let available):
      "truncated at byte \(offset): \(Self.quoted(what)) needs \(needed) bytes, \(available) left"
    case .countTooLarge(_, let offset, let what, let count, let most):
      "\(count) \(Self.printable(what)) declared at byte \(offset), at most \(most) can follow"
    case .limitExceeded(_, let what, let count, let limit):
      "\(count) \(Self.printable(what)), more than the limit of \(limit)"
    case .invalidText(_, let offset, let what):
      "the \(Self.printable(what)) at byte \(offset) is not UTF-8"
    default: ""
    }
  }

  private var metadataProblem: String {
    switch self {
    case .duplicateKey(_, let key): "the key \(Self.quoted(key)) appears twice"
    case .unknownValueType(_, let offset, let key, let type):
      "unknown value type \(type) at byte \(offset), of \(Self.quoted(key))"
    case .nestingTooDeep(_, let offset, let key, let limit):
      "arrays nested more than \(limit) deep at byte \(offset), in \(Self.quoted(key))"
    case .invalidBool(_, let offset, let key, let found):
      "a bool of \(Self.quoted(key)) at byte \(offset) is \(found), not 0 or 1"
    case .invalidAlignment(_, let found):
      "general.alignment is \(Self.printable(found)), not a uint32 power of two"
    case .invalidValue(_, let key, let expected, let found):
      "\(Self.quoted(key)) should be \(expected), found \(Self.printable(found))"
    default: ""
    }
  }

  private var tensorProblem: String {
    switch self {
    case .duplicateTensor(_, let tensor): "the tensor \(Self.quoted(tensor)) appears twice"
    case .invalidDimensions(_, let tensor, let dimensions, let reason):
      "tensor \(Self.quoted(tensor)) has dimensions \(dimensions): \(reason)"
    case .unknownTensorType(_, let tensor, let type):
      "tensor \(Self.quoted(tensor)) has unknown type \(type)"
    case .misalignedTensor(_, let tensor, let offset, let alignment):
      "tensor \(Self.quoted(tensor)) at offset \(offset) is not aligned to \(alignment) bytes"
    case .tensorOutOfBounds(_, let tensor, let offset, let count, let available):
      "tensor \(Self.quoted(tensor)) has \(count) bytes at offset \(offset) of the tensor data, "
        + "which has \(available)"
    case .overlappingTensors(_, let first, let second):
      "tensors \(Self.quoted(first)) and \(Self.quoted(second)) overlap"
    default: ""
    }
  }

  private var splitProblem: String {
    switch self {
    case .splitMissing(_, let missing, let count):
      "split model: missing \(missing.count) of \(count): "
        + missing.prefix(4).map(Self.printable).joined(separator: ", ")
        + (missing.count > 4 ? ", …" : "")
    case .splitMismatch(_, let what, let expected, let found):
      "split model: \(Self.printable(what)) should be \(Self.printable(expected)), "
        + "found \(Self.printable(found))"
    default: ""
    }
  }
}
