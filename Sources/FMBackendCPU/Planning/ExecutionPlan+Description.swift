package import FMBackend

extension ExecutionPlan {
  /// One line a phase: its steps and how each is divided.
  package func description(of program: Program) -> [String] {
    phases.map { phase in
      phase.steps.map { "\(name($0.work, program)) \($0.partition)" }.joined(separator: "; ")
    }
  }

  private func name(_ work: PlannedWork, _ program: Program) -> String {
    switch work {
    case .op(let index):
      let written = program.ops[index].writes.first.map { " " + program.values[$0.index].name }
      return program.ops[index].name + (written ?? "")
    case .quantize(let value): return "quantize " + program.values[value.index].name
    case .rotations: return "rotations"
    case .attentionMerge: return "merge"
    }
  }
}

extension Partition: CustomStringConvertible {
  package var description: String {
    switch self {
    case .replicated: "everywhere"
    case .rows(let domain): domain == .step ? "by rows" : "by outputs"
    case .columns(let width, let unit): "by \(unit) of \(width)"
    case .attention: "by blocks"
    }
  }
}
