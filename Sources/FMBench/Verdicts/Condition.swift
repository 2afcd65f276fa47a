/// Something a number depends on beside what is being compared.
package enum Condition: String, Sendable, Hashable, Codable, CaseIterable {
  // What was played.
  case scenario, seed, masks, gapScale, level, mode, policy, streaming, prefixEdit, promptForm,
    start
  // With what.
  case model, context, kvType, threads, rows, build, commit
  // On what.
  case device, driver, instructionSet
  // Where.
  case host, cpu, cores, kernel, os, governor, power
  // When.
  case time
  /// A slowdown of a test.
  case injected

  /// How it is called in a list of differences.
  package var name: String {
    switch self {
    case .scenario: "the scenario's hash"
    case .gapScale: "the gap scale"
    case .mode: "who decides (script or model)"
    case .policy: "the sessions' policy"
    case .prefixEdit: "the prefix edit"
    case .promptForm: "the form of prompts"
    case .start: "what a trial begins with"
    case .model: "the model's hash"
    case .kvType: "the cache's type"
    case .rows: "the rows of a step"
    case .instructionSet: "the instruction set"
    case .host: "the machine"
    case .cpu: "the processor"
    case .cores: "the cores"
    case .os: "the system"
    case .power: "the power source"
    case .injected: "an injected slowdown"
    default: "the \(rawValue)"
    }
  }
}

/// What differs on purpose between the sides of a comparison.
package enum ComparisonAxis: String, Sendable, Hashable, Codable, CaseIterable {
  case run, device, commit, model, threads, kv, endpoint, level, policy, stream
  case prefixEdit = "prefix-edit"
  case masks, start

  /// What must differ along it where other conditions only come along with it.
  var definingCondition: Condition? {
    switch self {
    case .level: .level
    case .endpoint: .device
    default: nil
    }
  }

  /// What may differ along it.
  package var conditions: [Condition] {
    switch self {
    case .run: []
    case .device: [.device, .driver, .instructionSet, .threads]
    case .commit: [.commit]
    case .model: [.model]
    case .threads: [.threads]
    case .kv: [.kvType]
    case .endpoint: [.device, .driver, .instructionSet, .threads, .rows, .kvType, .context]
    case .level: [.level, .promptForm, .scenario, .context, .policy, .streaming]
    case .policy: [.policy]
    case .stream: [.streaming]
    case .prefixEdit: [.prefixEdit]
    case .masks: [.masks]
    case .start: [.start]
    }
  }
}

/// One thing that differs between the sides.
package struct ConditionDifference: Sendable, Hashable, Codable {
  package var condition: Condition
  package var first: String
  package var second: String

  /// `the kernel (6.1.0 and 6.12.1)`.
  package var text: String { "\(condition.name) (\(first) and \(second))" }
}

extension ConditionDifference {
  /// What differs, in the order of the conditions; unknown on both sides counts as equal.
  static func all(
    _ first: [Condition: String], _ second: [Condition: String]
  ) -> [ConditionDifference] {
    Condition.allCases.compactMap { condition in
      let (left, right) = (first[condition], second[condition])
      guard left != right else { return nil }
      let absent = condition == .injected ? "none" : "not known"
      return ConditionDifference(
        condition: condition, first: left ?? absent, second: right ?? absent)
    }
  }
}
