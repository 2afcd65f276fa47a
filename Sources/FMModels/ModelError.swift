/// Why a model file cannot become a program.
package enum ModelError: Error, Equatable, Sendable {
  /// No architecture of this project has the name `general.architecture` gives.
  case unknownArchitecture(found: String, known: [String])
  /// A required metadata key is missing.
  case missingMetadata(key: String)
  /// A metadata value is of another kind or out of range.
  case badMetadata(key: String, found: String, allowed: String)
  /// The file describes something this project does not do.
  case unsupported(key: String, found: String, reason: String)
  /// Tensors the architecture needs are missing: the first ten names and how many in all.
  case missingTensors(names: [String], count: Int)
  /// A tensor's dimensions (contiguous first) are not what the metadata says.
  case tensorShape(name: String, expected: [Int], found: [Int])
  /// A tensor is stored in a format this project does not compute with.
  case tensorType(name: String, found: String)
  /// The program an architecture built breaks a rule; a mistake of the architecture.
  case badProgram(String)
}

extension ModelError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownArchitecture(let found, let known):
      "unknown architecture '\(found)'\nhint: this build knows \(known.joined(separator: ", "))"
    case .missingMetadata(let key):
      "the file lacks '\(key)'\nhint: convert the model again with a current converter"
    case .badMetadata(let key, let found, let allowed):
      "'\(key)' is \(found), allowed is \(allowed)\nhint: the file is damaged or of another model"
    case .unsupported(let key, let found, let reason):
      "'\(key)' is \(found): \(reason)\nhint: another model or file may do"
    case .missingTensors(let names, let count):
      "\(count) tensors are missing: \(names.joined(separator: ", "))"
        + (count > names.count ? ", …" : "") + "\nhint: is a part of a split file absent?"
    case .tensorShape(let name, let expected, let found):
      "tensor '\(name)' has dimensions \(found), expected \(expected)"
        + "\nhint: the metadata and the tensors are of different models"
    case .tensorType(let name, let found):
      "tensor '\(name)' is stored as \(found), which is not supported\nhint: try a file of the"
        + " same model in Q4_K_M, Q8_0 or F16"
    case .badProgram(let reason):
      "the architecture built a wrong program: \(reason)\nhint: please report this"
    }
  }
}
