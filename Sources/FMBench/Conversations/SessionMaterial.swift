package import FoundationModels

/// What sessions are played with beside the suite's texts: real tools and the forms of structured answers.
package struct SessionMaterial: Sendable {
  /// A tool by its definition.
  package struct Tool: Sendable {
    package var name: String
    package var description: String
    package var parameters: GenerationSchema
    /// The whole definition as JSON on one line.
    package var json: String
  }

  /// In the order of the file; menus take the first so many.
  package var tools: [Tool] = []
  /// Schemas of answers, by the name of the template that is such an answer.
  package var structures: [String: GenerationSchema] = [:]

  package init() {}

  /// Reads a suite's session file.
  ///
  /// - Throws: ``SuiteError/malformed(file:reason:)``.
  package init(json: String, file: String) throws(SuiteError) {
    do {
      let content = try GeneratedContent(json: json)
      for tool in try content.value([GeneratedContent].self, forProperty: "tools") {
        tools.append(try Self.tool(tool))
      }
      let structures = try content.value(GeneratedContent.self, forProperty: "structures")
      guard case .structure(let members, let names) = structures.kind else {
        throw SuiteError.malformed(file: file, reason: "'structures' is no object")
      }
      for name in names {
        guard let schema = members[name] else { continue }
        self.structures[name] = try GenerationSchema(jsonContent: schema)
      }
    } catch {
      throw .malformed(file: file, reason: ErrorSentence(error).description)
    }
    var names: Set<String> = []
    for tool in tools where !names.insert(tool.name).inserted {
      throw .malformed(file: file, reason: "two tools are called '\(tool.name)'")
    }
  }

  private static func tool(_ content: GeneratedContent) throws -> Tool {
    Tool(
      name: try content.value(String.self, forProperty: "name"),
      description: try content.value(String.self, forProperty: "description"),
      parameters: try GenerationSchema(
        jsonContent: content.value(GeneratedContent.self, forProperty: "parameters")),
      json: content.jsonString)
  }

  /// The tools that a session's script calls, and others until their definitions have so many tokens.
  func menu(
    calling names: [String], tokens: Int, encoding: any TextEncoding
  ) -> [Tool] {
    var left = tokens
    var chosen: Set<String> = []
    for tool in tools where names.contains(tool.name) {
      chosen.insert(tool.name)
      left -= encoding.tokens(of: tool.json).count
    }
    for tool in tools where left > 0 && chosen.insert(tool.name).inserted {
      left -= encoding.tokens(of: tool.json).count
    }
    return tools.filter { chosen.contains($0.name) }
  }
}
