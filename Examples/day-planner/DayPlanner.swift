import FoundationModels

/// Plans a day from notes: a tool finds them, a typed answer holds the plan.
///
///     day-planner [--brief] [--model MODEL] [--device DEVICE] [GOAL]
///
/// `--brief` asks for short answers, for slow devices.
@main
struct DayPlanner {
  @MainActor static func main() async throws {
    var goal = "Plan my Monday around the budget review."
    var (path, device, isBrief) = (String?.none, "cpu", false)
    var words = CommandLine.arguments.dropFirst().makeIterator()
    while let word = words.next() {
      switch word {
      case "--brief": isBrief = true
      case "--model": path = words.next()
      case "--device": device = words.next() ?? device
      default: goal = word
      }
    }
    guard let model = try model(path: path, device: device) else { return }
    let planner = Planner(model: model, isBrief: isBrief)
    await planner.makePlan(for: goal)
    guard let plan = planner.plan else { return print(planner.message) }
    print(plan.title)
    for (index, action) in plan.actions.enumerated() { print("\(index + 1). \(action)") }
    print("Risk: \(plan.risk)")
  }

  /// The model to plan with, or nil after saying why there is none.
  private static func model(path: String?, device: String) throws -> (any LanguageModel)? {
    if let path { return LocalLanguageModel(path: path, device: device) }
    let system = SystemLanguageModel.default
    switch system.availability {
    case .available: return system
    case .unavailable(.deviceNotEligible): print("This machine can't run a model.")
    case .unavailable(.appleIntelligenceNotEnabled): print("Models are switched off.")
    case .unavailable(.modelNotReady): print("There is no model yet: fm pull gets one.")
    @unknown default: print("There is no model, for a reason this program does not know.")
    }
    return nil
  }
}
