extension Transcript: Codable {
  /// Reads a transcript of version 1 or 1.1.
  ///
  /// - Throws: `DecodingError` for other documents, and for entries that lack what they need.
  public init(from decoder: any Decoder) throws {
    do {
      entries = try TranscriptReader.entries(CodedContent(from: decoder).content)
    } catch let error as GeneratedContent.ParsingError {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: error.debugDescription,
          underlyingError: error))
    }
  }

  /// Writes version 1 when its readers lose nothing by it, else 1.1.
  ///
  /// - Throws: `EncodingError` when an attached image's file can't be read.
  public func encode(to encoder: any Encoder) throws {
    try CodedContent(TranscriptWriter.document(self)).encode(to: encoder)
  }
}

/// Names that Apple's transcript documents use.
enum TranscriptNames {
  static let type = "FoundationModels.Transcript"
  static let newVersion = "1.1"
}
