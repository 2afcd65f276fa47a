/// Runs the tools that a model called.
struct ToolRunner {
  let session: LanguageModelSession
  let profile: ActiveProfile
  /// The request's span; nil unless a trace is recorded.
  let trace: RequestSpan?

  /// Runs all calls at the same time; the outputs are in the order of the calls.
  ///
  /// - Throws: ``LanguageModelSession/ToolCallError`` with what the first failing tool threw; the others are
  ///   cancelled then.
  func run(_ calls: [Transcript.ToolCall]) async throws -> [Transcript.ToolOutput] {
    for call in calls {
      try await profile.run { if case .onToolCall(let action) = $0 { try await action(call) } }
    }
    var outputs = [Transcript.ToolOutput?](repeating: nil, count: calls.count)
    let profile = profile
    let properties = session.properties
    try await withThrowingTaskGroup(of: (Int, Transcript.ToolOutput).self) { group in
      for (index, call) in calls.enumerated() {
        group.addTask { [trace] in
          try await SessionPropertyValues.$current.withValue(properties) {
            try await SessionPropertyValues.$isHistoryReadOnly.withValue(true) {
              (index, try await Self.output(of: call, profile, trace: trace))
            }
          }
        }
      }
      for try await (index, output) in group { outputs[index] = output }
    }
    let result = outputs.compactMap { $0 }
    for (call, output) in zip(calls, result) {
      try await profile.run {
        if case .onToolOutput(let action) = $0 { try await action(call, output) }
      }
    }
    return result
  }

  private static func output(
    of call: Transcript.ToolCall, _ profile: ActiveProfile, trace: RequestSpan?
  ) async throws -> Transcript.ToolOutput {
    guard let trace else { return try await output(of: call, tools: profile.tools) }
    let definition = profile.toolDefinitions.first { $0.name == call.toolName }
    return try await trace.tool(call, definition) {
      try await output(of: call, tools: profile.tools)
    }
  }

  private static func output(
    of call: Transcript.ToolCall, tools: [any Tool]
  ) async throws -> Transcript.ToolOutput {
    guard let tool = tools.first(where: { $0.name == call.toolName }) else {
      // The model made the name up; it can do better when it is told.
      let names = tools.map(\.name).joined(separator: ", ")
      let text = "There is no tool '\(call.toolName)'. The tools are: \(names)."
      return Transcript.ToolOutput(
        id: call.id, toolName: call.toolName,
        segments: [.text(Transcript.TextSegment(content: text))])
    }
    do {
      return Transcript.ToolOutput(
        id: call.id, toolName: call.toolName,
        segments: try await segments(tool, arguments: call.arguments))
    } catch let error as CancellationError {
      throw error
    } catch {
      throw LanguageModelSession.ToolCallError(tool: tool, underlyingError: error)
    }
  }

  private static func segments<T: Tool>(
    _ tool: T, arguments: GeneratedContent
  ) async throws -> [Transcript.Segment] {
    let output = try await tool.call(arguments: try T.Arguments(arguments))
    if !(output is String), let value = output as? any Generable {
      let content = value.generatedContent.withoutIDs
      return [
        .structure(
          Transcript.StructuredSegment(schemaName: "\(T.Output.self)", content: content))
      ]
    }
    return output.promptRepresentation.parts.segments
  }
}
