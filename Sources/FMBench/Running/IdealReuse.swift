import FMCore

/// What a prefix cache without limits would have given requests, found when all of them are over.
enum IdealReuse {
  /// A stored request with its ids.
  struct Request {
    var id: Int
    /// When the cache was asked: after a wait in a queue others may have been done.
    var asked: MonotonicInstant
    /// When the prompt was computed.
    var firstToken: MonotonicInstant?
    var completed: MonotonicInstant
    var sequence: ComputedSequence

    init(id: Int, row: RequestRow, sequence: ComputedSequence) {
      self.id = id
      asked = row.prefillStart ?? row.submitted
      firstToken = row.firstToken
      completed = row.completed
      self.sequence = sequence
    }
  }

  /// Of each request the tokens of its prompt that others had computed when the cache was asked for it.
  ///
  /// Of one that was under way then the prompt counts once its first token is there, and no more.
  static func cached(of requests: [Request]) -> [(id: Int, tokens: Int)] {
    var computed: [(at: MonotonicInstant, tokens: [TokenID])] = []
    for request in requests {
      if let firstToken = request.firstToken {
        computed.append((firstToken, request.sequence.prompt))
      }
      computed.append((request.completed, request.sequence.computed))
    }
    var waiting = computed.sorted { $0.at < $1.at }[...]
    var cache = IdealCache()
    return requests.sorted { $0.asked < $1.asked }.map { request in
      while let done = waiting.first, done.at <= request.asked {
        cache.remember(done.tokens)
        waiting.removeFirst()
      }
      return (request.id, cache.ideal(for: request.sequence.prompt))
    }
  }
}
