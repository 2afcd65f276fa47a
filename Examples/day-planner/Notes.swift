import FoundationModels

/// A person's notes, searchable by words.
actor NoteIndex {
  private let notes = [
    "Budget review with Ines on Monday at 9:15 in room 14.",
    "Maren needs the signed permits before noon.",
    "Print run for the spring catalogue: call the printer, 40 copies.",
    "Lunch with Tobias at the greenhouse, 12:30.",
    "Walk the dog before six.",
  ]

  /// At most `limit` notes that share a word with the query, the best first.
  func search(_ query: String, limit: Int) -> [String] {
    let words = Self.words(query)
    let ranked = notes.map { (note: $0, score: Self.words($0).intersection(words).count) }
    return ranked.filter { $0.score > 0 }.sorted { $0.score > $1.score }.prefix(limit).map(\.note)
  }

  /// The first notes, for a question that fits none.
  func latest(_ limit: Int) -> [String] { Array(notes.prefix(limit)) }

  private static func words(_ text: String) -> Set<Substring> {
    Set(text.lowercased().split { !$0.isLetter && !$0.isNumber })
  }
}

/// How often a tool may be called, and with what it was.
actor SearchBudget {
  private var left: Int
  private var seen: Set<String> = []

  init(calls: Int) { left = calls }

  /// Whether a query may run: it is new, and the budget is not spent.
  func spend(on query: String) -> Bool {
    guard left > 0, seen.insert(query.lowercased()).inserted else { return false }
    left -= 1
    return true
  }
}

/// Looks notes up for the model.
struct SearchNotes: Tool {
  let name = "searchNotes"
  let description = "Finds notes and meetings that fit a short question."
  let index: NoteIndex
  let budget: SearchBudget

  @Generable struct Arguments {
    @Guide(description: "A short question in plain words")
    var query: String
    @Guide(description: "How many notes to return", .range(1...5))
    var limit: Int
  }

  func call(arguments: Arguments) async throws -> String {
    guard await budget.spend(on: arguments.query) else {
      return ""  // Spent, or asked before: what was found is in the transcript.
    }
    let limit = min(max(arguments.limit, 1), 3)
    var found = await index.search(arguments.query, limit: limit)
    if found.isEmpty { found = await index.latest(limit) }
    return found.joined(separator: "\n")
  }
}
