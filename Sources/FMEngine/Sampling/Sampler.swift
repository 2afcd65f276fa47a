package import FMBackend
package import FMCore
import Glibc

/// Chooses tokens from logits or candidates; a function of its input, the options and the position.
///
/// Order: penalties, bias and mask, top-k, top-p, min-p, temperature, draw. The draw goes through
/// the surviving tokens by rising id, so its outcome does not depend on how they were found.
/// Keeps scratch memory between calls, one vocabulary of floats where full logits are needed.
package struct Sampler {
  package let options: SamplingOptions
  private let random: CounterRandom
  /// Logits after penalties, bias and mask.
  private var values: [Float] = []
  /// The tokens that the filters have left.
  private var survivors: [Candidate] = []
  private var weights: [Double] = []
  private var recentScratch: [TokenID] = []

  /// The largest top-k that executors are asked for; larger ones are chosen here from all logits.
  private static let mostCandidates = 256

  package init(options: SamplingOptions) {
    self.options = options
    random = CounterRandom(seed: options.seed)
  }

  /// What to ask the executor for: the least that the options can be served from.
  package var outputKind: OutputRequest.Kind {
    if options.hasPenalties { return .logits }
    if options.temperature == 0 { return .candidates(count: 1) }
    if let topK = options.topK, topK <= Self.mostCandidates { return .candidates(count: topK) }
    return .logits
  }

  /// Chooses from candidates that the executor already masked and biased.
  ///
  /// `candidates` are sorted by falling logit, then rising id; `position` is the position the chosen
  /// token will have. - Throws: ``EngineError/noValidToken``.
  package mutating func choose(
    candidates: ArraySlice<Candidate>, logSumExp: Float, position: Int
  ) throws(EngineError) -> TokenID {
    // One NaN or infinity anywhere among the logits shows in their sum.
    guard let best = candidates.first, best.logit.isFinite, logSumExp.isFinite else {
      throw .noValidToken
    }
    if options.temperature == 0 { return best.token }
    survivors.removeAll(keepingCapacity: true)
    for candidate in candidates where candidate.logit.isFinite { survivors.append(candidate) }
    if let topK = options.topK, survivors.count > topK {
      survivors.removeLast(survivors.count - topK)
    }
    filterTopP()
    return draw(best: best.logit, position: position)
  }

  /// Chooses from all logits of a row.
  ///
  /// `recent` are the tokens the penalties look at, `mask` has bit `t % 64` of word `t / 64` set for
  /// allowed tokens. - Throws: ``EngineError/noValidToken`` when a logit is NaN or +infinity, or all
  /// are banned.
  package mutating func choose(
    logits: ArraySlice<Float>, recent: ArraySlice<TokenID>, bias: [TokenBias], mask: [UInt64]?,
    position: Int
  ) throws(EngineError) -> TokenID {
    values.removeAll(keepingCapacity: true)
    values.append(contentsOf: logits)
    applyPenalties(recent)
    for entry in bias where values.indices.contains(Int(entry.token)) {
      values[Int(entry.token)] += entry.bias
    }
    if let mask { apply(mask) }
    let best = try bestToken()
    if options.temperature == 0 { return best.token }
    survivors.removeAll(keepingCapacity: true)
    if let topK = options.topK, topK < values.count {
      keepBest(topK)
      filterTopP()
    } else if options.topP.map({ $0 < 1 }) ?? false {
      let total = keepProbable(best: best.logit)
      survivors.sort(by: Self.isBetter)
      filterTopP(total: total)
    } else {
      keepAll()
    }
    return draw(best: best.logit, position: position)
  }

  // MARK: Logits

  private mutating func applyPenalties(_ recent: ArraySlice<TokenID>) {
    guard options.hasPenalties else { return }
    recentScratch.removeAll(keepingCapacity: true)
    recentScratch.append(contentsOf: recent.suffix(options.penaltyWindow))
    recentScratch.sort()
    var index = 0
    while index < recentScratch.count {
      let token = recentScratch[index]
      var end = index + 1
      while end < recentScratch.count, recentScratch[end] == token { end += 1 }
      let count = Float(end - index)
      index = end
      guard values.indices.contains(Int(token)) else { continue }
      var logit = values[Int(token)]
      if options.repetitionPenalty != 1 {
        logit =
          logit > 0 ? logit / options.repetitionPenalty : logit * options.repetitionPenalty
      }
      values[Int(token)] =
        logit - (count * options.frequencyPenalty + options.presencePenalty)
    }
  }

  private mutating func apply(_ mask: [UInt64]) {
    for token in values.indices {
      let word = token / 64
      let isAllowed = word < mask.count && mask[word] >> UInt64(token % 64) & 1 == 1
      if !isAllowed { values[token] = -.infinity }
    }
  }

  private func bestToken() throws(EngineError) -> Candidate {
    var best = Candidate(token: 0, logit: -.infinity)
    for token in values.indices {
      let value = values[token]
      // False for NaN as well as for +infinity.
      guard value < .infinity else { throw .noValidToken }
      if value > best.logit { best = Candidate(token: TokenID(token), logit: value) }
    }
    guard best.logit > -.infinity else { throw .noValidToken }
    return best
  }

  // MARK: Filters

  /// Leaves the `count` best of all tokens, sorted.
  private mutating func keepBest(_ count: Int) {
    // A heap whose root is the worst survivor.
    for token in values.indices where values[token] > -.infinity {
      let candidate = Candidate(token: TokenID(token), logit: values[token])
      if survivors.count < count {
        survivors.append(candidate)
        siftUp(survivors.count - 1)
      } else if Self.isBetter(candidate, survivors[0]) {
        survivors[0] = candidate
        siftDown(0)
      }
    }
    survivors.sort(by: Self.isBetter)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.isBetter(survivors[parent], survivors[child]) else { return }
      survivors.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var worst = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < survivors.count && Self.isBetter(survivors[worst], survivors[child]) {
        worst = child
      }
      if worst == parent { return }
      survivors.swapAt(parent, worst)
      parent = worst
    }
  }

  /// Leaves the tokens that a nucleus of `topP` can contain, unsorted; gives the weight of all.
  ///
  /// Tokens less probable than (1 - topP) / vocabulary together hold less than 1 - topP, so the
  /// nucleus is full before it comes to them.
  private mutating func keepProbable(best: Float) -> Double {
    var total = 0.0
    for value in values { total += Self.weight(value, best: best) }
    let least = (1 - Double(options.topP ?? 1)) * total / Double(values.count)
    for token in values.indices where Self.weight(values[token], best: best) >= least {
      survivors.append(Candidate(token: TokenID(token), logit: values[token]))
    }
    return total
  }

  /// Leaves all tokens but the impossible.
  private mutating func keepAll() {
    for token in values.indices where values[token] > -.infinity {
      survivors.append(Candidate(token: TokenID(token), logit: values[token]))
    }
  }

  /// Leaves the fewest best survivors that hold `topP` of the probability.
  ///
  /// The survivors are sorted; `total` is the weight of all they were chosen from, where it is more
  /// than theirs.
  private mutating func filterTopP(total known: Double? = nil) {
    guard let topP = options.topP, topP < 1, let best = survivors.first?.logit else { return }
    let total = known ?? survivors.reduce(0) { $0 + Self.weight($1.logit, best: best) }
    let target = Double(topP) * total
    var sum = 0.0
    for index in survivors.indices {
      sum += Self.weight(survivors[index].logit, best: best)
      if sum >= target {
        survivors.removeLast(survivors.count - index - 1)
        return
      }
    }
  }

  /// Applies min-p and temperature and draws.
  private mutating func draw(best: Float, position: Int) -> TokenID {
    if let minP = options.minP, minP > 0 {
      survivors.removeAll { Self.weight($0.logit, best: best) < Double(minP) }
    }
    survivors.sort { $0.token < $1.token }
    weights.removeAll(keepingCapacity: true)
    for survivor in survivors {
      let distance = Double(survivor.logit) - Double(best)
      weights.append(exp(distance / Double(options.temperature)))
    }
    let target = random.uniform(at: UInt64(position)) * weights.reduce(0, +)
    var sum = 0.0
    for index in survivors.indices {
      sum += weights[index]
      // The last sum equals the total, which is above the target.
      if sum > target { return survivors[index].token }
    }
    return survivors[survivors.count - 1].token
  }

  /// Probability relative to the best token's.
  private static func weight(_ logit: Float, best: Float) -> Double {
    exp(Double(logit) - Double(best))
  }

  private static func isBetter(_ left: Candidate, _ right: Candidate) -> Bool {
    left.logit != right.logit ? left.logit > right.logit : left.token < right.token
  }
}
