import FMCommand
import FMFormats
import FMRuntime

extension ModelInspection {
  /// The description as tables for people.
  func text(listsTensors: Bool) -> String {
    var parts = [facts.text]
    if !types.isEmpty { parts.append(typeTable.text) }
    parts.append(memoryTable.text)
    if listsTensors { parts.append(tensorTable.text) }
    return parts.joined(separator: "\n")
  }

  private var facts: Table {
    var table = Table([Table.Column("file"), Table.Column(Printable.text(path))])
    for other in paths.dropFirst() { table.add(["", Printable.text(other)]) }
    table.add(["size", "\(Format.bytes(byteCount)) (\(byteCount) bytes)"])
    table.add(["format", "GGUF version \(formatVersion)"])
    let support = isSupported ? "" : " (can be described, not run)"
    table.add(["architecture", (architecture.map { Printable.text($0) } ?? "not stated") + support])
    if let name { table.add(["name", Printable.text(name)]) }
    if let license { table.add(["license", Printable.text(license)]) }
    table.add(["parameters", "\(Format.count(parameterCount)) (\(parameterCount))"])
    if let quantization { table.add(["quantization", quantization]) }
    table.add(["context", contextLength.map { "\($0) positions" } ?? "not stated"])
    addTokenizer(to: &table)
    if let template {
      table.add([
        "template",
        "\(template.byteCount) bytes: \(Printable.text(template.firstLine, limit: 60))",
      ])
    } else {
      table.add(["template", "none (a base model, or an old conversion)"])
    }
    return table
  }

  private func addTokenizer(to table: inout Table) {
    guard let tokenizer else {
      table.add(["tokenizer", "none"])
      return
    }
    let pre = tokenizer.pre.map { ", pre-tokenizer \(Printable.text($0))" } ?? ""
    let size = tokenizer.vocabularySize.map { ", \($0) tokens" } ?? ""
    table.add(["tokenizer", Printable.text(tokenizer.model) + pre + size])
    for token in tokenizer.special {
      let text = token.text.map { Printable.text($0, limit: 60) } ?? "outside the vocabulary"
      table.add(["", "\(token.role): \(token.id) \(text)"])
    }
  }

  private var typeTable: Table {
    var table = Table([
      Table.Column("type"), Table.Column("tensors", .right), Table.Column("parameters", .right),
      Table.Column("bytes", .right), Table.Column("bits each", .right),
    ])
    for share in types {
      let bits = Double(share.byteCount) * 8 / Double(share.elementCount)
      table.add([
        share.type, "\(share.tensorCount)", Format.count(share.elementCount),
        Format.bytes(share.byteCount), Format.fixed(bits, digits: 2),
      ])
    }
    return table
  }

  private var memoryTable: Table {
    var table = Table([Table.Column("memory"), Table.Column("", .right)])
    table.add(["weights", Format.bytes(memory.weightBytes)])
    let cache = memory.cacheBytes.map(Format.bytes) ?? "not known from the metadata"
    table.add(["KV cache" + (memory.context.map { " at \($0)" } ?? ""), cache])
    if let total = memory.totalBytes { table.add(["total", Format.bytes(total)]) }
    return table
  }

  private var tensorTable: Table {
    var table = Table([
      Table.Column("tensor"), Table.Column("type"), Table.Column("dimensions"),
      Table.Column("bytes", .right),
    ])
    for tensor in tensors {
      table.add([
        Printable.text(tensor.name), tensor.typeName,
        tensor.dimensions.map(String.init).joined(separator: " × "),
        "\(tensor.byteRange.count)",
      ])
    }
    return table
  }
}

extension ModelInspection {
  /// The description as JSON; what a file does not say is null.
  func json(listsTensors: Bool) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("path", .string(path)),
      ("files", .array(paths.map(JSONValue.string))),
      ("bytes", .integer(byteCount)),
      ("format_version", .integer(Int(formatVersion))),
      ("architecture", .optional(architecture, JSONValue.string)),
      ("supported", .bool(isSupported)),
      ("name", .optional(name, JSONValue.string)),
      ("license", .optional(license, JSONValue.string)),
      ("parameters", .integer(parameterCount)),
      ("quantization", .optional(quantization, JSONValue.string)),
      ("context_length", .optional(contextLength, JSONValue.integer)),
      ("tokenizer", .optional(tokenizer, Self.json)),
      ("template", .optional(template, Self.json)),
      ("types", .array(types.map(Self.json))),
      ("memory", memoryJSON),
    ]
    if listsTensors { members.append(("tensors", .array(tensors.map(Self.json)))) }
    return .object(members)
  }

  private var memoryJSON: JSONValue {
    .object([
      ("context", .optional(memory.context, JSONValue.integer)),
      ("weights_bytes", .integer(memory.weightBytes)),
      ("kv_cache_bytes", .optional(memory.cacheBytes, JSONValue.integer)),
      ("total_bytes", .optional(memory.totalBytes, JSONValue.integer)),
    ])
  }

  private static func json(_ tokenizer: ModelTokenizerFacts) -> JSONValue {
    .object([
      ("model", .string(tokenizer.model)),
      ("pre", .optional(tokenizer.pre, JSONValue.string)),
      ("vocabulary_size", .optional(tokenizer.vocabularySize, JSONValue.integer)),
      (
        "special",
        .array(
          tokenizer.special.map { token in
            .object([
              ("role", .string(token.role)), ("id", .integer(token.id)),
              ("text", .optional(token.text, JSONValue.string)),
            ])
          })
      ),
    ])
  }

  private static func json(_ template: TemplateFacts) -> JSONValue {
    .object([
      ("bytes", .integer(template.byteCount)), ("first_line", .string(template.firstLine)),
    ])
  }

  private static func json(_ share: TypeShare) -> JSONValue {
    .object([
      ("type", .string(share.type)), ("tensors", .integer(share.tensorCount)),
      ("parameters", .integer(share.elementCount)), ("bytes", .integer(share.byteCount)),
    ])
  }

  private static func json(_ tensor: GGUFTensor) -> JSONValue {
    .object([
      ("name", .string(tensor.name)), ("type", .string(tensor.typeName)),
      ("dimensions", .array(tensor.dimensions.map(JSONValue.integer))),
      ("bytes", .integer(tensor.byteRange.count)),
    ])
  }
}
