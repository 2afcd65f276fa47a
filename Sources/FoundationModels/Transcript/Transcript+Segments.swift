public import Foundation

extension Transcript {
  /// A piece of an entry.
  public enum Segment: Sendable, Identifiable, Equatable {
    /// A text.
    case text(TextSegment)
    /// A value of a schema.
    case structure(StructuredSegment)
    /// An image.
    case attachment(AttachmentSegment)

    /// The payload's identity.
    public var id: String {
      switch self {
      case .text(let segment): segment.id
      case .structure(let segment): segment.id
      case .attachment(let segment): segment.id
      }
    }
  }

  /// A text.
  public struct TextSegment: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// The text.
    public var content: String

    /// A text, with a new identity where none is given.
    public init(id: String = UUID().uuidString, content: String) {
      self.id = id
      self.content = content
    }
  }

  /// A value of a schema.
  public struct StructuredSegment: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// The name of the schema the value follows.
    public var schemaName: String
    /// The value.
    public var content: GeneratedContent

    /// The name of the schema the value follows.
    @available(*, deprecated, renamed: "schemaName")
    public var source: String {
      get { schemaName }
      set { schemaName = newValue }
    }

    /// A value of a schema, with a new identity where none is given.
    public init(id: String = UUID().uuidString, schemaName: String, content: GeneratedContent) {
      self.id = id
      self.schemaName = schemaName
      self.content = content
    }

    /// A value of a schema, with a new identity where none is given.
    @available(*, deprecated, renamed: "init(id:schemaName:content:)")
    public init(id: String = UUID().uuidString, source: String, content: GeneratedContent) {
      self.init(id: id, schemaName: source, content: content)
    }
  }

  /// Something that is not text.
  public struct AttachmentSegment: Sendable, Identifiable, Equatable {
    /// Its identity.
    public var id: String
    /// What is attached.
    public var content: Attachment
    /// The name a model can refer to it by.
    public var label: String?

    /// An attachment, with a new identity where none is given.
    public init(id: String = UUID().uuidString, content: Attachment, label: String? = nil) {
      self.id = id
      self.content = content
      self.label = label
    }
  }

  /// What can be attached.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image, by where it is or by its bytes.
  public struct ImageAttachment: Sendable, Equatable {
    /// Where the image is; nil for one that was given as bytes.
    public var url: URL?
    var bytes: Data?
    var mediaType: String?

    /// The image at a URL; a file is read when it is sent or saved.
    public init(imageURL: URL) { url = imageURL }
  }
}

extension Transcript.Segment: CustomStringConvertible {
  /// The text, the JSON, or the image's label.
  public var description: String {
    switch self {
    case .text(let segment): segment.content
    case .structure(let segment): segment.content.jsonString
    case .attachment(let segment): "[image \(segment.label ?? segment.id)]"
    }
  }
}
