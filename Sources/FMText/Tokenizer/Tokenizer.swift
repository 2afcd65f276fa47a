package import FMCore

/// Turns text into a model's tokens and back.
///
/// Works on bytes: ill-formed UTF-8 goes in and comes out unchanged (where the vocabulary has byte
/// tokens, as every model's does). Encoding takes O(n log n) time, uses no recursion and may be
/// done from many threads at once.
package final class Tokenizer: Sendable {
  private enum Encoder: Sendable {
    case byteLevel(ByteLevelEncoder)
    case characters(CharacterEncoder)
  }

  let vocabulary: Vocabulary
  private let encoder: Encoder
  /// Matched in any text.
  private let userDefined: SpecialTokenMatcher
  /// Matched where special tokens are parsed.
  private let special: SpecialTokenMatcher
  /// Whether text gets a space before it, which is taken off again when decoding.
  let addsSpacePrefix: Bool
  private let isSpaceMarked: Bool

  /// The token put before a sequence, where the model has one.
  package let beginning: TokenID?
  /// Whether a sequence starts with `beginning`.
  package let addsBeginning: Bool
  /// The tokens that end an answer.
  package let endOfGeneration: Set<TokenID>
  /// What was odd about the description, for the user to read.
  package let warnings: [String]

  /// Checks a description and builds the tables, in time linear in its size.
  package init(_ description: TokenizerDescription) throws(TokenizerError) {
    var parts = try TokenizerParts(description)
    vocabulary = parts.vocabulary
    isSpaceMarked = description.model != .byteLevelBPE
    switch description.model {
    case .byteLevelBPE: encoder = .byteLevel(try parts.byteLevelEncoder())
    case .sentencePiece: encoder = .characters(try parts.scoredEncoder())
    case .characterBPE: encoder = .characters(try parts.rankedEncoder())
    }
    userDefined = SpecialTokenMatcher(
      vocabulary, kinds: [.userDefined], markersAsSpaces: isSpaceMarked)
    special = SpecialTokenMatcher(
      vocabulary, kinds: [.userDefined, .control, .unknown], markersAsSpaces: isSpaceMarked)
    addsSpacePrefix =
      description.model == .sentencePiece && description.addsSpacePrefix ?? true
    beginning = parts.checkedID(description.beginning, "beginning of sequence")
    addsBeginning = beginning != nil && (description.addsBeginning ?? parts.addsBeginning)
    endOfGeneration = parts.endOfGeneration()
    warnings = parts.warnings
  }

  /// The number of tokens.
  package var vocabularySize: Int { vocabulary.count }

  /// The bytes a token stands for; a control token's spelling; nothing for an id out of range.
  package func bytes(of token: TokenID) -> ArraySlice<UInt8> {
    guard token >= 0, Int(token) < vocabulary.count else { return [] }
    return vocabulary.pieces[Int(token)]
  }

  /// What a token is for; nil for an id out of range.
  package func kind(of token: TokenID) -> TokenKind? {
    guard token >= 0, Int(token) < vocabulary.count else { return nil }
    return vocabulary.kinds[Int(token)]
  }

  /// Whether a token is never part of an answer's text: control and unknown tokens.
  package func isControl(_ token: TokenID) -> Bool {
    kind(of: token).map { $0 == .control || $0 == .unknown } ?? false
  }

  /// The token with exactly this spelling, control tokens too.
  package func specialToken(_ spelling: String) -> TokenID? {
    var spelling = spelling
    return spelling.withUTF8 { bytes in
      guard let match = special.first(in: bytes, from: 0), match.start == 0,
        match.end == bytes.count
      else { return nil }
      return match.token
    }
  }

  /// The tokens of a text, without a beginning token.
  ///
  /// - Parameter parsingSpecial: whether spellings of control tokens become those tokens. Only for
  ///   text that is trusted: without it they become ordinary text.
  package func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsingSpecial: Bool = false
  ) -> [TokenID] {
    var pass = EncodingPass(capacity: text.count)
    withMarkersAsSpaces(text) { encode($0, parsingSpecial: parsingSpecial, &pass) }
    return pass.output
  }

  /// The tokens of a text, without a beginning token.
  package func encode(_ text: [UInt8], parsingSpecial: Bool = false) -> [TokenID] {
    text.withUnsafeBufferPointer { encode($0, parsingSpecial: parsingSpecial) }
  }

  /// The tokens of a text, without a beginning token.
  package func encode(_ text: String, parsingSpecial: Bool = false) -> [TokenID] {
    var text = text
    return text.withUTF8 { encode($0, parsingSpecial: parsingSpecial) }
  }

  /// The first special token of a text from an offset; with `parsingSpecial` control tokens too.
  func firstSpecial(
    in text: UnsafeBufferPointer<UInt8>, from offset: Int, parsingSpecial: Bool
  ) -> SpecialTokenMatcher.Match? {
    (parsingSpecial ? special : userDefined).first(in: text, from: offset)
  }

  /// Calls `body` with a text whose U+2581 are spaces, where the vocabulary can't tell them apart.
  func withMarkersAsSpaces(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    guard isSpaceMarked, TokenSpelling.hasMarker(text) else { return body(text) }
    var copy: [UInt8] = []
    copy.reserveCapacity(text.count)
    TokenSpelling.unescape(text, into: &copy)
    copy.withUnsafeBufferPointer(body)
  }

  /// Appends the tokens of a text that may hold special tokens and holds no marker.
  func encode(
    _ text: UnsafeBufferPointer<UInt8>, parsingSpecial: Bool, _ pass: inout EncodingPass
  ) {
    var start = 0
    while let match = firstSpecial(in: text, from: start, parsingSpecial: parsingSpecial) {
      encodePlain(UnsafeBufferPointer(rebasing: text[start..<match.start]), &pass)
      pass.append(special: match.token)
      start = match.end
    }
    encodePlain(UnsafeBufferPointer(rebasing: text[start...]), &pass)
  }

  /// Appends the tokens of a text that holds no special token.
  private func encodePlain(_ text: UnsafeBufferPointer<UInt8>, _ pass: inout EncodingPass) {
    guard !text.isEmpty else { return }
    let needsPrefix = addsSpacePrefix && pass.isAfterSpecial
    pass.isAfterSpecial = false
    guard needsPrefix else { return encodeInParts(text, &pass) }
    var copy: [UInt8] = []
    copy.reserveCapacity(text.count + 1)
    copy.append(0x20)
    copy.append(contentsOf: text)
    copy.withUnsafeBufferPointer { encodeInParts($0, &pass) }
  }

  /// Offsets inside a part fit 32 bits, so text past a gibibyte is encoded in parts.
  private func encodeInParts(_ text: UnsafeBufferPointer<UInt8>, _ pass: inout EncodingPass) {
    var start = 0
    while start < text.count {
      let end = min(text.count, start + 1 << 30)
      let part = UnsafeBufferPointer(rebasing: text[start..<end])
      switch encoder {
      case .byteLevel(let encoder):
        encoder.encode(part, vocabulary, &pass.workspace, into: &pass.output)
      case .characters(let encoder):
        encoder.encode(part, vocabulary, &pass.workspace, into: &pass.output)
      }
      start = end
    }
  }
}

/// What one call of `encode` carries from text to text.
struct EncodingPass: ~Copyable {
  var output: [TokenID] = []
  var workspace = MergeWorkspace()
  /// Whether the next text starts the sequence or follows a special token.
  var isAfterSpecial = true

  init(capacity: Int) { output.reserveCapacity(capacity / 4 + 8) }

  mutating func append(special token: TokenID) {
    output.append(token)
    isAfterSpecial = true
  }
}
