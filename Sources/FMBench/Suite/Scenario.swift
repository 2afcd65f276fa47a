/// A scenario file as written: what one trial plays, in token counts.
///
/// The form is level-neutral: at engine level segments become token ids, at session level they
/// become text of as many tokens. `$name` in a string or instead of a number stands for what the
/// variant binds to `name`.
package struct Scenario: Sendable, Hashable, Codable {
  package var name: String
  package var title: String
  /// What differs between runs when this scenario's numbers do.
  package var isolates: String
  /// The window the scenario is made for; its longest prompt with its output fits in it.
  package var contextTokens: Int
  /// Whether a software GPU can play it in seconds; it plays no other unless asked by name.
  package var fitsSoftwareDevices: Bool?
  package var states: [CacheState]
  package var trials: TrialCounts
  /// The exchange that makes a session warm; required when `states` has `warm`.
  package var leadIn: LeadIn?
  /// Forms of the scenario that are cells of their own; none means one unnamed form.
  package var variants: [Variant]?
  /// How many copies of the sessions are played at the same time; absent, one copy is played, its
  /// sessions one after the other.
  package var concurrency: Bound<Int>?
  package var sessions: [Session]

  /// How many measured trials a cell gets; 0 quick ones leave the scenario out of the quick suite.
  package struct TrialCounts: Sendable, Hashable, Codable {
    package var quick: Int
    package var standard: Int
    package var release: Int
  }

  /// A user turn and its answer, in tokens.
  package struct LeadIn: Sendable, Hashable, Codable {
    package var prompt: Int
    package var output: Int
  }

  /// A named form with what it binds.
  package struct Variant: Sendable, Hashable, Codable {
    package var name: String
    package var bind: [String: Binding]
  }

  /// One conversation: its fixed beginning, then its turns.
  package struct Session: Sendable, Hashable, Codable {
    package var name: String
    package var prefix: [Segment]
    package var turns: [Turn]
  }

  /// A user turn: one or more requests, tool calls between them.
  package struct Turn: Sendable, Hashable, Codable {
    /// How often the turn is played in a row, with other text each time; 1 when absent.
    package var `repeat`: Int?
    /// The user's pause before the turn, before scaling.
    package var thinkMilliseconds: Double?
    package var steps: [Step]
  }

  /// One request and the tool calls its answer makes.
  package struct Step: Sendable, Hashable, Codable {
    /// Whether the session begins again: of its tokens the prefix alone stays; false when absent.
    package var restart: Bool?
    package var append: [Segment]
    package var output: Output
    package var calls: [Call]?
  }

  /// Tokens that go into a prompt.
  package struct Segment: Sendable, Hashable, Codable {
    /// Which text: `instructions`, `schema`, `user`, `records`, or `quote`.
    package var kind: Bound<String>
    package var tokens: Bound<Int>
    /// For `quote`: the session whose last answer is repeated; it may be the segment's own.
    package var session: String?
    /// Whether all copies of the session have this text, `same`, or each its own, `differ` (absent).
    package var copies: Bound<String>?
  }

  /// What the model is made to produce.
  package struct Output: Sendable, Hashable, Codable {
    /// `text` (the model's own words, ending banned), `json` or `call` (a forced text).
    package var kind: Bound<String>
    package var tokens: Bound<Int>
    /// The forced text's template.
    package var template: Bound<String>?
  }

  /// A canned tool: its result is the next step's text, its time an injected sleep.
  package struct Call: Sendable, Hashable, Codable {
    package var tool: String
    package var milliseconds: Double
  }
}

/// A value a variant binds: a number or a string.
package enum Binding: Sendable, Hashable, Codable {
  case number(Int)
  case string(String)

  /// Reads a JSON number or string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Writes what ``init(from:)`` reads.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    }
  }
}

/// A value that is written out, or named `$name` and bound by the variant.
package enum Bound<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  case literal(Value)
  case name(String)

  /// Reads a JSON value; a string that starts with `$` is a name.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self), text.hasPrefix("$") {
      self = .name(String(text.dropFirst()))
    } else {
      self = .literal(try container.decode(Value.self))
    }
  }

  /// Writes what ``init(from:)`` reads.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .literal(let value): try container.encode(value)
    case .name(let name): try container.encode("$" + name)
    }
  }
}
