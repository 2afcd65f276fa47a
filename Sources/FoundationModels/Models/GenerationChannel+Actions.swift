public import Foundation

extension LanguageModelExecutorGenerationChannel {
  /// A response being made.
  public struct Response: Sendable {
    /// A change to a response.
    public struct Action: Sendable {
      enum Change: Sendable {
        case append(TextFragment)
        case replace(TextSegmentReplacement)
        case addAttachment(Transcript.AttachmentSegment)
        case removeAttachment(String)
        case metadata(Metadata)
        case usage(Usage)
      }

      let change: Change

      /// Adds text at the end.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          change: .append(
            TextFragment(segmentID: segmentID, content: text, tokenCount: tokenCount)))
      }

      /// Replaces a segment's text.
      public static func replaceTextSegment(
        _ text: String, segmentID: String, tokenCount: Int
      ) -> Action {
        Action(
          change: .replace(
            TextSegmentReplacement(segmentID: segmentID, content: text, tokenCount: tokenCount)))
      }

      /// Adds an image.
      public static func addAttachmentSegment(_ segment: Transcript.AttachmentSegment) -> Action {
        Action(change: .addAttachment(segment))
      }

      /// Takes an image away.
      public static func removeAttachmentSegment(id: String) -> Action {
        Action(change: .removeAttachment(id))
      }

      /// Replaces the notes.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(change: .metadata(Metadata(values: metadata.mapValues(\.generatedContent))))
      }

      /// Replaces the token counts.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(
          change: .usage(
            Usage(
              input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
      }
    }
  }

  /// Thoughts being made.
  public struct Reasoning: Sendable {
    /// A change to thoughts.
    public struct Action: Sendable {
      enum Change: Sendable {
        case append(TextFragment)
        case replace(TextSegmentReplacement)
        case signature(ReasoningSignature)
        case metadata(Metadata)
        case usage(Usage)
      }

      let change: Change

      /// Adds text at the end.
      public static func appendText(
        _ text: String, segmentID: String? = nil, tokenCount: Int
      ) -> Action {
        Action(
          change: .append(
            TextFragment(segmentID: segmentID, content: text, tokenCount: tokenCount)))
      }

      /// Replaces a segment's text.
      public static func replaceTextSegment(
        _ text: String, segmentID: String, tokenCount: Int
      ) -> Action {
        Action(
          change: .replace(
            TextSegmentReplacement(segmentID: segmentID, content: text, tokenCount: tokenCount)))
      }

      /// Replaces the signature.
      public static func updateSignature(_ signature: Data, tokenCount: Int) -> Action {
        Action(
          change: .signature(ReasoningSignature(data: signature, tokenCount: tokenCount)))
      }

      /// Replaces the notes.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(change: .metadata(Metadata(values: metadata.mapValues(\.generatedContent))))
      }

      /// Replaces the token counts.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(
          change: .usage(
            Usage(
              input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
      }
    }
  }

  /// Tool calls being made.
  public struct ToolCalls: Sendable {
    /// A change to the calls.
    public struct Action: Sendable {
      enum Change: Sendable {
        case call(id: String, name: String, ToolCall.Action)
        case remove(id: String)
        case metadata(Metadata)
        case usage(Usage)
      }

      let change: Change

      /// Begins a call, or goes on with one.
      public static func toolCall(
        id: String, name: String, action: ToolCall.Action
      ) -> Action {
        Action(change: .call(id: id, name: name, action))
      }

      /// Takes a call back.
      public static func removeToolCall(id: String) -> Action { Action(change: .remove(id: id)) }

      /// Replaces the notes.
      public static func updateMetadata(
        _ metadata: [String: any ConvertibleToGeneratedContent]
      ) -> Action {
        Action(change: .metadata(Metadata(values: metadata.mapValues(\.generatedContent))))
      }

      /// Replaces the token counts.
      public static func updateUsage(
        input: Usage.Input, output: Usage.Output,
        metadata: [String: any ConvertibleToGeneratedContent] = [:]
      ) -> Action {
        Action(
          change: .usage(
            Usage(
              input: input, output: output, metadata: metadata.mapValues(\.generatedContent))))
      }
    }

    /// One call being made.
    public struct ToolCall: Sendable {
      /// A piece of a call's arguments.
      public struct ArgumentsFragment: Sendable {
        /// JSON text that goes on where the last piece ended.
        public var content: String
        /// How many tokens it was.
        public var tokenCount: Int
      }

      /// A change to a call.
      public struct Action: Sendable {
        enum Change: Sendable {
          case arguments(ArgumentsFragment)
          case metadata(Metadata)
        }

        let change: Change

        /// Adds JSON text at the end of the arguments.
        public static func appendArguments(_ text: String, tokenCount: Int) -> Action {
          Action(change: .arguments(ArgumentsFragment(content: text, tokenCount: tokenCount)))
        }

        /// Replaces the notes.
        public static func updateMetadata(
          _ metadata: [String: any ConvertibleToGeneratedContent]
        ) -> Action {
          Action(change: .metadata(Metadata(values: metadata.mapValues(\.generatedContent))))
        }
      }
    }
  }
}
