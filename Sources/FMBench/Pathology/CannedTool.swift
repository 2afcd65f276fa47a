import FMTrace
import FoundationModels
import Synchronization

/// A tool of the pathology set: answers what its file says and takes the time it says.
struct CannedTool: Tool {
  let name: String
  let description: String
  let parameters: GenerationSchema
  private let output: String
  private let milliseconds: Double
  private let tracer: LeapingTracer
  private let budget: CallBudget?

  /// Calls that may still be answered, and those that were.
  private final class CallBudget: Sendable {
    private let state: Mutex<(left: Int, seen: Set<String>)>

    init(calls: Int) { state = Mutex((calls, [])) }

    /// Whether the call is a new one and there is something left for it.
    func spend(on arguments: String) -> Bool {
      state.withLock { state in
        guard state.left > 0, state.seen.insert(arguments).inserted else { return false }
        state.left -= 1
        return true
      }
    }
  }

  /// - Throws: what is wrong with the arguments' names.
  init(_ tool: PathologyPair.Tool, output: String, tracer: LeapingTracer) throws {
    name = tool.name
    description = tool.description
    parameters = try GenerationSchema(fields: tool.arguments, name: "Arguments")
    self.output = output
    milliseconds = tool.milliseconds ?? 0
    self.tracer = tracer
    budget = tool.budget.map { CallBudget(calls: $0) }
  }

  func call(arguments: GeneratedContent) async throws -> String {
    if let budget, !budget.spend(on: arguments.jsonString) { return "" }
    tracer.leap(milliseconds: milliseconds)
    return output
  }
}

extension GenerationSchema {
  /// The form of a structure with these fields.
  init(fields: [PathologyPair.Argument], name: String) throws {
    let properties = fields.map { field in
      DynamicGenerationSchema.Property(
        name: field.name, description: field.description,
        schema: field.type == "number"
          ? DynamicGenerationSchema(type: Int.self) : DynamicGenerationSchema(type: String.self))
    }
    let root = DynamicGenerationSchema(name: name, properties: properties)
    try self.init(root: root, dependencies: [])
  }
}
