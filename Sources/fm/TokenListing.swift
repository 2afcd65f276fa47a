import FMCommand
import FMCore
import FMText

/// Tokens written out for people and programs.
struct TokenListing {
  let ids: [TokenID]
  let tokenizer: Tokenizer

  /// One token a line: the id, a tab, the bytes quoted.
  var lines: String {
    var output = ""
    for id in ids { output += "\(id)\t\(Self.quoted(tokenizer.bytes(of: id)))\n" }
    return output
  }

  /// `{"count": …, "tokens": [{"id": …, "bytes": "68c3a9", "text": "hé"}]}`.
  ///
  /// `text` is null for bytes that are not UTF-8 by themselves.
  var json: String {
    let tokens = ids.map { id in
      let bytes = tokenizer.bytes(of: id)
      return JSONValue.object([
        ("id", .integer(Int(id))), ("bytes", .string(bytes.map(Self.hex).joined())),
        ("text", String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .null),
      ])
    }
    return JSONValue.object([("count", .integer(ids.count)), ("tokens", .array(tokens))]).text
      + "\n"
  }

  /// Token ids apart by white space or commas.
  static func parse(_ text: [UInt8], vocabularySize: Int) throws(TokenListingError) -> [TokenID] {
    var ids: [TokenID] = []
    let separators: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d, 0x2c]
    for word in text.split(whereSeparator: { separators.contains($0) }) {
      let word = String(decoding: word, as: UTF8.self)
      guard let id = TokenID(word), id >= 0, id < vocabularySize else {
        throw TokenListingError(word: word, vocabularySize: vocabularySize)
      }
      ids.append(id)
    }
    return ids
  }

  private static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return "\"" + bytes.map { escaped($0) }.joined() + "\""
    }
    return JSONValue.string(text).text
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case 0x22: "\\\""
    case 0x5c: "\\\\"
    case 0x20..<0x7f: String(UnicodeScalar(byte))
    default: "\\x" + hex(byte)
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}

/// A word that is not a token id of the model.
struct TokenListingError: Error, CustomStringConvertible {
  var word: String
  var vocabularySize: Int

  var description: String {
    "'\(word.prefix(40))' is not a token id of this model\n"
      + "hint: ids are whole numbers from 0 to \(vocabularySize - 1)"
  }
}
