/// What can be wrong with a shader; the text is in the form compilers print, so that builds show it.
package enum ShaderError: Error, Equatable, Sendable {
  /// A line of a file, counted from 1.
  package struct Place: Equatable, Sendable {
    package var file: String
    package var line: Int
  }

  /// A file is missing, is not UTF-8 or has more than a mebibyte.
  case unreadable(file: String, place: Place?)
  /// A file includes itself through others.
  case includeCycle(files: [String], place: Place?)
  case includeTooDeep(file: String, limit: Int, place: Place?)
  case malformedInclude(place: Place)
  /// Two variants have one name, or a name has characters other than letters, digits and `_`.
  case invalidName(String)
  /// What glslang found, one finding a line.
  case compilation(variant: String, findings: [String])
}

extension ShaderError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let file, let place):
      "\(Self.prefix(place, file)) error: cannot read \(file)"
    case .includeCycle(let files, let place):
      "\(Self.prefix(place, files.last)) error: include cycle: \(files.joined(separator: " → "))"
    case .includeTooDeep(let file, let limit, let place):
      "\(Self.prefix(place, file)) error: includes are nested more than \(limit) deep"
    case .malformedInclude(let place):
      "\(Self.prefix(place, nil)) error: expected #include \"file.glsl\", a file of include/"
    case .invalidName(let name):
      "Shaders/List/ShaderVariants.swift:1: error: the variant name '\(name)' is used twice or has "
        + "other characters than letters, digits and _"
    case .compilation(let variant, let findings):
      (findings + ["note: in the shader variant '\(variant)'"]).joined(separator: "\n")
    }
  }

  private static func prefix(_ place: Place?, _ file: String?) -> String {
    if let place { return "\(place.file):\(place.line):" }
    return "\(file ?? "Shaders"):1:"
  }
}
