import FMCore

/// Measures how long a grammar's masks take, on random answers.
package enum MaskBenchmark {
  /// How long single masks took.
  package struct Timings: Sendable {
    /// How many masks were measured.
    package let count: Int
    /// Nanoseconds of the mask in the middle, of the slowest hundredth's fastest, and of the slowest.
    package let median: Int
    package let percentile99: Int
    package let maximum: Int
    /// The text before the slowest mask.
    package let slowestText: [UInt8]
  }

  /// Times the masks of `answers` random answers of up to `tokens` tokens each.
  ///
  /// Masks of states with forced bytes are not counted, as they need none. One token in eight is the
  /// next byte of the shortest ending, so that strings end and what follows them is measured too.
  package static func measure(
    _ grammar: CompiledGrammar, answers: Int = 20, tokens: Int = 200, seed: UInt64 = 1
  ) -> Timings {
    let random = CounterRandom(seed: seed)
    var draw: UInt64 = 0
    var times: [Int] = []
    var slowest: (time: Int, text: [UInt8]) = (0, [])
    var mask = [UInt64](repeating: 0, count: grammar.index.maskWords)
    for _ in 0..<answers {
      var matcher = GrammarMatcher(grammar)
      var text: [UInt8] = []
      for _ in 0..<tokens {
        let forced = matcher.forcedBytes()
        if !forced.isEmpty {
          _ = matcher.acceptBytes(forced)
          text += forced
        }
        if matcher.isFinished { break }
        let start = ContinuousClock.now
        matcher.fillMask(&mask)
        let elapsed = (ContinuousClock.now - start).components
        let time = Int(elapsed.seconds) * 1_000_000_000 + Int(elapsed.attoseconds / 1_000_000_000)
        times.append(time)
        if time > slowest.time { slowest = (time, text) }
        guard let bytes = pick(mask, &matcher, random.bits(at: draw)) else { break }
        text += bytes
        draw += 1
      }
    }
    times.sort()
    func percentile(_ share: Double) -> Int {
      times.isEmpty ? 0 : times[min(times.count - 1, Int(Double(times.count) * share))]
    }
    return Timings(
      count: times.count, median: percentile(0.5), percentile99: percentile(0.99),
      maximum: times.last ?? 0, slowestText: slowest.text)
  }

  /// Goes on by a random token of the mask, or towards the end; the bytes it went on by.
  private static func pick(
    _ mask: [UInt64], _ matcher: inout GrammarMatcher, _ draw: UInt64
  ) -> [UInt8]? {
    if draw & 7 == 0, let byte = matcher.shortestEnding()?.first {
      return matcher.acceptBytes([byte]) ? [byte] : nil
    }
    let count = mask.reduce(0) { $0 + $1.nonzeroBitCount }
    guard count > 0 else { return nil }
    var place = Int((draw >> 3) % UInt64(count))
    for (word, bits) in mask.enumerated() {
      if place >= bits.nonzeroBitCount {
        place -= bits.nonzeroBitCount
        continue
      }
      var bits = bits
      for _ in 0..<place { bits &= bits - 1 }
      let token = TokenID(word * 64 + bits.trailingZeroBitCount)
      return matcher.accept(token) ? Array(matcher.grammar.index.bytes(of: token)) : nil
    }
    return nil
  }
}
