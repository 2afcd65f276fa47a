public import Foundation

extension GenerationSchema {
  /// Why schemas made at run time do not fit together.
  public enum SchemaError: Error, LocalizedError, Sendable {
    /// Two schemas have one name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// A structure has two properties of one name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// A choice has nothing to choose from.
    case emptyTypeChoices(schema: String, context: Context)
    /// Names are referred to that nothing has.
    case undefinedReferences(schema: String?, references: [String], context: Context)

    /// What is wrong, in words.
    public struct Context: Sendable {
      /// The details.
      public let debugDescription: String

      /// Takes the details.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is wrong, for people.
    public var errorDescription: String? {
      switch self {
      case .duplicateType(let schema, let type, let context):
        "The schema\(Self.named(schema)) has two types named '\(type)': \(context.debugDescription)."
      case .duplicateProperty(let schema, let property, let context):
        "The schema\(Self.named(schema)) has two properties '\(property)': "
          + "\(context.debugDescription)."
      case .emptyTypeChoices(let schema, let context):
        "The schema\(Self.named(schema)) has no choices: \(context.debugDescription)."
      case .undefinedReferences(let schema, let references, let context):
        "The schema\(Self.named(schema)) refers to \(references.joined(separator: ", ")): "
          + "\(context.debugDescription)."
      }
    }

    private static func named(_ name: String?) -> String { name.map { " '\($0)'" } ?? "" }
  }
}
