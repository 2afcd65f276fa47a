public import Foundation

extension LanguageModelSession {
  /// Writes down what a person thinks of the session's last answer.
  ///
  /// The JSON holds the whole transcript, so treat it as what was said. Nothing is sent anywhere.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredOutput: Transcript.Entry? = nil
  ) -> Data {
    let content = try? LanguageModelFeedback.attachment(
      transcript: currentTranscript, sentiment: sentiment, issues: issues,
      desiredOutput: desiredOutput)
    return Data((content?.jsonString ?? "{}").utf8)
  }

  /// Writes down what a person thinks of the last answer, and what it should have said.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseText: String?
  ) -> Data {
    let segment = desiredResponseText.map {
      Transcript.Segment.text(Transcript.TextSegment(content: $0))
    }
    return log(sentiment, issues, segment)
  }

  /// Writes down what a person thinks of the last answer, and the value it should have been.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseContent: (any ConvertibleToGeneratedContent)?
  ) -> Data {
    let segment = desiredResponseContent.map {
      Transcript.Segment.structure(
        Transcript.StructuredSegment(
          schemaName: "\(type(of: $0))", content: $0.generatedContent.withoutIDs))
    }
    return log(sentiment, issues, segment)
  }

  private func log(
    _ sentiment: LanguageModelFeedback.Sentiment?, _ issues: [LanguageModelFeedback.Issue],
    _ segment: Transcript.Segment?
  ) -> Data {
    let entry = segment.map {
      Transcript.Entry.response(Transcript.Response(assetIDs: [], segments: [$0]))
    }
    return logFeedbackAttachment(sentiment: sentiment, issues: issues, desiredOutput: entry)
  }
}
