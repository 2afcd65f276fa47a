public import Foundation

/// Something beside text in a prompt or in instructions.
public struct Attachment<Content>: PromptRepresentable, InstructionsRepresentable {
  private var segment: Transcript.AttachmentSegment

  init(_ image: Transcript.ImageAttachment) {
    segment = Transcript.AttachmentSegment(content: .image(image))
  }

  /// The attachment under a name that the model can refer to it by.
  public func label(_ label: String) -> Attachment<Content> {
    var result = self
    result.segment.label = label
    return result
  }

  /// The attachment as a prompt.
  public var promptRepresentation: Prompt { Prompt(parts: [.attachment(segment)]) }

  /// The attachment as instructions.
  public var instructionsRepresentation: Instructions {
    Instructions(parts: [.attachment(segment)])
  }
}

/// An image as an attachment.
public enum ImageAttachmentContent {}

extension Attachment where Content == ImageAttachmentContent {
  /// The image at a URL; a file is read when it is sent or saved.
  public init(imageURL: URL) { self.init(Transcript.ImageAttachment(imageURL: imageURL)) }
}

/// Names an image of the session in a value or in a tool's arguments.
@Generable
public struct ImageReference: Sendable {
  /// The label of the attachment.
  public let attachmentLabel: String

  /// The image with the label among entries; nil when there is none.
  public func resolved(in entries: some Sequence<Transcript.Entry>) -> Transcript.ImageAttachment? {
    for entry in entries {
      let segments: [Transcript.Segment]
      switch entry {
      case .instructions(let entry): segments = entry.segments
      case .prompt(let entry): segments = entry.segments
      case .toolOutput(let entry): segments = entry.segments
      case .response(let entry): segments = entry.segments
      case .reasoning(let entry): segments = entry.segments
      case .toolCalls: continue
      }
      for case .attachment(let attachment) in segments where attachment.label == attachmentLabel {
        if case .image(let image) = attachment.content { return image }
      }
    }
    return nil
  }
}
