import FMCore
import FMGrammar
import Foundation
import Testing

/// Grammars that never end, repeat themselves, or nest without bound.
struct HostileGrammarTests {
  private static let index = TokenIndex(tokens: SampleVocabulary.make(seed: 5))

  private func compile(_ grammar: Grammar) throws -> CompiledGrammar {
    try CompiledGrammar(grammar, index: Self.index)
  }

  @Test func `what never ends is an error, or left out where something else does`() throws {
    var builder = GrammarBuilder()
    let loop = builder.add(.empty)
    builder.rules[Int(loop)] = .array(ArrayRule(items: loop, minimum: 1))
    #expect(throws: GrammarError.self) { try compile(builder.grammar(loop)) }
    let text = builder.literal("ok")
    let choice = builder.add(.choice([loop, text]))
    var matcher = FollowedMatcher(try compile(builder.grammar(choice)))
    #expect(matcher.forcedBytes() == Array("ok".utf8))
    let object = builder.add(
      .object(
        ObjectRule(members: [
          GrammarBuilder.member("never", loop, isRequired: false),
          GrammarBuilder.member("ever", text, isRequired: false),
        ])))
    matcher = FollowedMatcher(try compile(builder.grammar(object)))
    #expect(matcher.acceptText("{\""))
    #expect(matcher.forcedBytes() == Array("ever\": ok}".utf8))
    let nothing = builder.add(.choice([]))
    #expect(throws: GrammarError.self) { try compile(builder.grammar(nothing)) }
  }

  @Test func `cycles through nothing and left recursion come to an end`() throws {
    var builder = GrammarBuilder()
    let list = builder.add(.empty)
    let item = builder.literal("a")
    let empty = builder.add(.empty)
    let longer = builder.add(.sequence([list, list]))
    let left = builder.add(.sequence([list, item]))
    builder.rules[Int(list)] = .choice([list, longer, left, item, empty])
    var matcher = FollowedMatcher(try compile(builder.grammar(list)))
    #expect(matcher.isAccepting)
    let isAccepted = matcher.acceptText("aaaa")
    #expect(isAccepted && matcher.isAccepting && matcher.configurationCount <= 256)
    #expect(!matcher.acceptText("b"))

    // Cycles in which no byte can ever come.
    let void = builder.add(.empty)
    let twice = builder.add(.sequence([void, void]))
    builder.rules[Int(void)] = .choice([twice, empty])
    let root = builder.add(.sequence([void, item, void]))
    matcher = FollowedMatcher(try compile(builder.grammar(root)))
    #expect(matcher.forcedBytes() == Array("a".utf8))
  }

  @Test func `an exponential union keeps at most 256 configurations and accepts nothing wrong`()
    throws
  {
    var builder = GrammarBuilder()
    let string = builder.add(.string(StringRule()))
    var value = string
    for level in 0..<12 {
      let pair = (0..<2).map { side in
        builder.add(
          .object(
            ObjectRule(members: [
              GrammarBuilder.member("k", value),
              GrammarBuilder.member("l\(level)\(side)", string, isRequired: false),
            ])))
      }
      value = builder.add(.choice(pair))
    }
    let matcher = FollowedMatcher(try compile(builder.grammar(value)))
    let start = ContinuousClock.now
    for _ in 0..<12 {
      let isAccepted = matcher.acceptText("{\"k\": ")
      #expect(isAccepted && matcher.configurationCount <= 256)
    }
    #expect(!matcher.allowedTokens().isEmpty)
    let ending = try #require(matcher.shortestEnding())
    let isAccepted = matcher.acceptBytes(ending)
    #expect(isAccepted && matcher.isAccepting)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func `ten thousand levels fit a small stack`() throws {
    var builder = GrammarBuilder()
    let value = builder.add(.empty)
    let list = builder.add(.array(ArrayRule(items: value)))
    let string = builder.add(.string(StringRule()))
    builder.rules[Int(value)] = .choice([list, string])
    // And a grammar whose own rules nest as deep.
    var nested = builder.literal("0")
    for _ in 0..<10_000 {
      let array = builder.add(.array(ArrayRule(items: nested, minimum: 1)))
      let optional = builder.add(.choice([array, nested]))
      nested = builder.add(.sequence([optional]))
    }
    let recursive = builder.grammar(value)
    let deep = builder.grammar(nested)
    let outcome = onSmallStack {
      guard let compiled = try? self.compile(recursive), (try? self.compile(deep)) != nil else {
        return false
      }
      let matcher = FollowedMatcher(compiled)
      guard matcher.acceptBytes(Array(repeating: 0x5b, count: 10_000)) else { return false }
      guard !matcher.allowedTokens().isEmpty, matcher.minimumRemainingBytes == 10_000,
        let ending = matcher.shortestEnding()
      else {
        return false
      }
      return ending == Array(repeating: 0x5d, count: 10_000) && matcher.acceptBytes(ending)
        && matcher.isFinished
    }
    #expect(outcome)
  }

  /// Runs a closure on a thread with a stack of 512 KiB.
  private func onSmallStack(_ body: @escaping @Sendable () -> Bool) -> Bool {
    final class Outcome: @unchecked Sendable {
      // SAFETY: written by the thread before it signals, read after the wait.
      var value = false
    }
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      outcome.value = body()
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    return outcome.value
  }
}
