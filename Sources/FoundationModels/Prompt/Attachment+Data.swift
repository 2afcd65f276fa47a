// Extension: images as bytes, since this platform has no image types.

public import Foundation

extension Attachment where Content == ImageAttachmentContent {
  /// An image as the bytes of its file, such as `image/png`.
  public init(data: Data, mimeType: String) {
    self.init(Transcript.ImageAttachment(data: data, mimeType: mimeType))
  }
}
