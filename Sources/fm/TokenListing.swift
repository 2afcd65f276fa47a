import FMCommand
import FMCore
import FMText

/// Tokens written out for people and programs.
struct TokenListing {
  let ids: [TokenID]
  let tokenizer: Tokenizer

  /// Bytes collected before they are handed on: a long text's listing never exists as a whole.
  private static let pieceBytes = 1 << 16

  /// Hands the listing to `sink` in pieces.
  ///
  /// One token a line: the id, a tab, the bytes quoted. As JSON on one line:
  /// `{"count": …, "tokens": [{"id": …, "bytes": "68c3a9", "text": "hé"}]}`, where `text` is null for bytes
  /// that are not UTF-8 by themselves.
  func write(asJSON: Bool, to sink: (String) -> Void) {
    var piece = asJSON ? "{\"count\":\(ids.count),\"tokens\":[" : ""
    for (index, id) in ids.enumerated() {
      if asJSON {
        piece += (index > 0 ? "," : "") + json(id).text
      } else {
        piece += "\(id)\t\(Self.quoted(tokenizer.bytes(of: id)))\n"
      }
      if piece.utf8.count >= Self.pieceBytes {
        sink(piece)
        piece = ""
      }
    }
    sink(piece + (asJSON ? "]}\n" : ""))
  }

  private func json(_ id: TokenID) -> JSONValue {
    let bytes = tokenizer.bytes(of: id)
    return .object([
      ("id", .integer(Int(id))), ("bytes", .string(bytes.map(Self.hex).joined())),
      ("text", String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .null),
    ])
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
