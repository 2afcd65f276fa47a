package import FMBackend
package import FMCore
package import FMOpCases

/// Times op cases on a back end.
///
/// A case's op is put into a program many times in a row, and once into another; what a step of the
/// first takes longer, over the difference in number, is one op. Submission, inputs and outputs fall
/// out of it; what stands between neighbouring ops of a program (a barrier) is inside. Steps of both
/// kinds take turns.
package struct OpTimer {
  private let backend: any Backend
  private let peaks: DevicePeaks?
  private let samples: Int
  /// What a step of many ops should take, in seconds.
  private let target: Double
  private let clock: () -> MonotonicInstant

  /// - Parameters:
  ///   - peaks: what the device reaches, to guess how many ops fill a step; nil guesses low.
  ///   - isQuick: fewer samples of shorter steps.
  ///   - clock: read before and after each step.
  package init(
    backend: any Backend, peaks: DevicePeaks?, isQuick: Bool,
    clock: @escaping () -> MonotonicInstant = { .now }
  ) {
    self.clock = clock
    self.backend = backend
    self.peaks = peaks
    samples = isQuick ? 3 : 7
    target = isQuick ? 0.004 : 0.012
  }

  /// Times cases one after the other; `progress` hears each one's number from 0 and name before it.
  package func time(
    _ cases: [OpCase], progress: (_ index: Int, _ name: String) -> Void
  ) -> [OpTiming] {
    cases.enumerated().map { index, item in
      progress(index, item.name)
      return time(item)
    }
  }

  /// Times one case; a device that cannot run it, or fails, gives a timing with the problem.
  package func time(_ item: OpCase) -> OpTiming {
    let op = item.program.ops[item.opIndex]
    var timing = OpTiming(
      name: item.name, op: op.name, type: Self.type(op, item), scope: .op, samples: [],
      cost: item.cost)
    timing.problem = item.unsupported(on: backend)
    if timing.problem != nil { return timing }
    do throws(BackendError) {
      if item.agreement == .candidates {
        // Choosing candidates is work of the step's end and no op that could be repeated.
        timing.scope = .step
        var step = try Run(item, on: backend)
        timing.samples = try (0..<samples).map { _ throws(BackendError) in try step.seconds(clock) }
      } else {
        timing.samples = try differences(item)
      }
      if timing.seconds == nil { timing.problem = "too short for the noise of this machine" }
    } catch { timing.problem = "\(error)" }
    return timing
  }

  /// Seconds of one op, from pairs of steps.
  private func differences(_ item: OpCase) throws(BackendError) -> [Double] {
    let count = repeats(item)
    var one = try Run(item.repeated(1), on: backend)
    var many = try Run(item.repeated(count), on: backend)
    var result: [Double] = []
    for _ in 0..<samples {
      let short = try one.seconds(clock)
      let long = try many.seconds(clock)
      result.append((long - short) / Double(count - 1))
    }
    return result
  }

  /// How many ops a step gets: enough to fill the target, and weights of at most 256 MB.
  private func repeats(_ item: OpCase) -> Int {
    let cost = item.cost
    let guess = max(
      cost.bytes / (peaks?.copyBytesPerSecond ?? 1e9), cost.flops / (peaks?.flopsPerSecond ?? 1e9),
      2e-6)
    let fitting = cost.weightBytes > 0 ? Int(Double(256 << 20) / cost.weightBytes) : 128
    return max(3, min(Int(min(target / guess, 128)) + 1, fitting))
  }

  private static func type(_ op: Op, _ item: OpCase) -> String? {
    guard let weight = op.weightIDs.first else { return nil }
    return item.elementTypes[weight.index].rawValue
  }
}

/// An executor with a case's step, warmed up.
private struct Run {
  private let executor: any Executor
  private let step: Step
  private var result = StepResult()

  init(_ item: OpCase, on backend: any Backend) throws(BackendError) {
    executor = try item.executor(on: backend)
    step = item.steps.last ?? Step()
    for earlier in item.steps.dropLast() { try executor.run(earlier, into: &result) }
    // The first step records or touches memory, the second finds it all there.
    for _ in 0..<2 { try executor.run(step, into: &result) }
  }

  mutating func seconds(_ clock: () -> MonotonicInstant) throws(BackendError) -> Double {
    let start = clock()
    try executor.run(step, into: &result)
    return clock().seconds(since: start)
  }
}
