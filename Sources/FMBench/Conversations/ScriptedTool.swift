import FMCore
import FoundationModels

/// A tool of a session under test: its answer is written, its time an injected sleep.
struct ScriptedTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema
  let director: ConversationDirector

  init(_ tool: SessionMaterial.Tool, director: ConversationDirector) {
    name = tool.name
    description = tool.description
    parameters = tool.parameters
    self.director = director
  }

  /// Sleeps as long as the script says and gives what it says.
  func call(arguments: GeneratedContent) async throws -> String {
    let call = director.begin(tool: name, arguments: arguments)
    try await director.wait(until: call.started.adding(milliseconds: call.milliseconds))
    director.end(call)
    return call.result
  }
}
