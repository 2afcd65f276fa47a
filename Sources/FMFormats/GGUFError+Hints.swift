import Glibc

extension GGUFError {
  /// What to do about the error, where there is something to say.
  package var hint: String? {
    switch self {
    case .cannotOpen(_, ENOENT): "check the path; `fm models` lists what is there"
    case .notRegularFile(_, "directory"): "name the .gguf file inside it"
    case .notGGUF(_, let found): Self.hint(forBytes: found)
    case .bigEndian: "convert the model again on, or for, a little-endian machine"
    case .unsupportedVersion(_, let version):
      version < 2 ? "convert the model again with a current converter" : "update this program"
    case .empty, .truncated, .countTooLarge, .tensorOutOfBounds:
      "the file is damaged or its download was cut short; get it again"
    case .cannotMap: "free memory or raise the address space limit (`ulimit -v`)"
    case .splitMissing: "put all shards in one folder under their own names"
    case .splitMismatch: "the shards must come from one model and keep their names"
    case .unknownTensorType: "the file may need a newer version of this program"
    default: nil
    }
  }

  /// Names what a file that is not GGUF looks like.
  private static func hint(forBytes found: [UInt8]) -> String? {
    if found.starts(with: Array("version https://git-lfs".utf8)) {
      return "this is a Git LFS pointer; fetch the file itself (`git lfs pull`)"
    }
    if found.starts(with: [0x50, 0x4B]) {
      return "this is a zip archive (a wheel, a PyTorch checkpoint); a .gguf file is needed"
    }
    if found.first == UInt8(ascii: "<") {
      return "this is a web page; the address it came from was not the file's own"
    }
    if found.count > 8, found[8] == UInt8(ascii: "{") {
      return "this looks like a safetensors file; convert it to GGUF first"
    }
    if found.starts(with: Array("FUGG".utf8)) {
      return "the magic number is reversed: a big-endian file"
    }
    return nil
  }

  /// The C library's text for an error number.
  func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// A name from a file in quotes, made safe to print.
  static func quoted(_ text: String) -> String { "'\(printable(text))'" }

  /// Text safe to print on a terminal: control characters escaped, at most 200 scalars.
  static func printable(_ text: String) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == 200 { return result + "…" }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
