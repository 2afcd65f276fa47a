// Extension: images as bytes, since this platform has no image types.

public import Foundation

extension Transcript.ImageAttachment {
  /// An image as the bytes of its file, such as `image/png`.
  public init(data: Data, mimeType: String) {
    bytes = data
    mediaType = mimeType
  }

  /// The bytes of the image's file: those given, or those at the URL when it is a file.
  ///
  /// - Throws: what reading the file throws.
  public func data() throws -> Data? {
    if let bytes { return bytes }
    guard let url, url.isFileURL else { return nil }
    return try Data(contentsOf: url)
  }

  /// The media type: that given, or that of the URL's extension.
  public var mimeType: String? {
    if let mediaType { return mediaType }
    switch url?.pathExtension.lowercased() {
    case "png": return "image/png"
    case "jpg", "jpeg": return "image/jpeg"
    case "gif": return "image/gif"
    case "webp": return "image/webp"
    default: return nil
    }
  }
}
