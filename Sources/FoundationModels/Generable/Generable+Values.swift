public import Foundation

extension Bool: Generable {
  /// A JSON boolean.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .boolean, name: "Bool")
  }

  /// Reads `true` or `false`.
  public init(_ content: GeneratedContent) throws {
    guard case .bool(let value) = content.value else { throw content.mismatch("a boolean") }
    self = value
  }

  /// A JSON boolean.
  public var generatedContent: GeneratedContent { GeneratedContent(value: .bool(self)) }
}

extension String: Generable {
  /// A JSON string.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .string(StringRule()), name: "String")
  }

  /// Reads a string; a number or boolean is read as its JSON text.
  public init(_ content: GeneratedContent) throws {
    switch content.value {
    case .string(let value): self = value
    case .number(let value): self = value.literal
    case .bool(let value): self = value ? "true" : "false"
    case .null, .array, .structure: throw content.mismatch("a string")
    }
  }

  /// A JSON string.
  public var generatedContent: GeneratedContent { GeneratedContent(value: .string(self)) }

  /// The string itself.
  public var instructionsRepresentation: Instructions { Instructions(parts: [.text(self)]) }

  /// The string itself.
  public var promptRepresentation: Prompt { Prompt(parts: [.text(self)]) }
}

extension Int: Generable {
  /// A JSON integer.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .integer(NumberRule()), name: "Int")
  }

  /// Reads a number without a fraction that fits.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value, let value = number.integer else {
      throw content.mismatch("an integer")
    }
    self = value
  }

  /// A JSON integer.
  public var generatedContent: GeneratedContent {
    GeneratedContent(value: .number(JSONNumber(self)))
  }
}

extension Double: Generable {
  /// A JSON number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .number(NumberRule()), name: "Double")
  }

  /// Reads a number; one beyond the type's range becomes infinite.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value else { throw content.mismatch("a number") }
    self = number.double
  }

  /// A JSON number; `null` for what JSON has no number for.
  public var generatedContent: GeneratedContent {
    GeneratedContent(value: isFinite ? .number(JSONNumber(self)) : .null)
  }
}

extension Float: Generable {
  /// A JSON number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .number(NumberRule()), name: "Float")
  }

  /// Reads a number; one beyond the type's range becomes infinite.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value else { throw content.mismatch("a number") }
    self = Float(number.double)
  }

  /// A JSON number; `null` for what JSON has no number for.
  public var generatedContent: GeneratedContent {
    GeneratedContent(value: isFinite ? .number(JSONNumber(literal: description)) : .null)
  }
}

extension Decimal: Generable {
  /// A JSON number.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .number(NumberRule()), name: "Decimal")
  }

  /// Reads a number with all digits a decimal can hold.
  public init(_ content: GeneratedContent) throws {
    guard case .number(let number) = content.value,
      let value = Decimal(string: number.literal, locale: nil)
    else { throw content.mismatch("a number") }
    self = value
  }

  /// A JSON number.
  public var generatedContent: GeneratedContent {
    GeneratedContent(value: isNaN ? .null : .number(JSONNumber(literal: description)))
  }
}

extension Never: Generable {
  /// A schema that no value fulfils.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(unnamed: .nothing, name: "Never")
  }

  /// Always fails: there are no values.
  public init(_ content: GeneratedContent) throws { throw content.mismatch("no value at all") }

  /// Never called: there are no values.
  public var generatedContent: GeneratedContent { switch self {} }
}
