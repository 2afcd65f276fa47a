internal import CFMKernels
package import FMBackend
package import FMCore
internal import Foundation

/// The processor as a device.
package final class CPUBackend: Backend {
  /// Threads a step runs on.
  package let threads: Int
  /// The instruction set of the kernels.
  package let instructionSet: InstructionSet
  let pool: ThreadPool

  /// A back end on the process's thread pool.
  ///
  /// `threads` is clamped to what makes sense here; nil takes one thread for each physical core that
  /// affinity and cgroup limits leave. An instruction set that this machine lacks becomes the best.
  package init(threads: Int? = nil, instructionSet: InstructionSet? = nil) {
    pool = ThreadPool.shared
    self.threads = pool.clamp(threads)
    let best = InstructionSet.best
    self.instructionSet = instructionSet.flatMap { $0.isAvailable ? $0 : nil } ?? best
  }

  package var device: DeviceDescription {
    DeviceDescription(
      selector: "cpu", name: Self.processorName, kind: .cpu,
      details: [instructionSet.label, threads == 1 ? "1 thread" : "\(threads) threads"])
  }

  /// The first `model name` of `/proc/cpuinfo`.
  private static let processorName: String = {
    guard let data = FileManager.default.contents(atPath: "/proc/cpuinfo") else { return "CPU" }
    for line in String(decoding: data.prefix(1 << 16), as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0].hasPrefix("model name") {
        return parts[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return "CPU"
  }()

  /// Refuses what ``Program/validate()`` refuses and types without a kernel.
  package func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
    do throws(ProgramError) { try program.validate() } catch { return "\(error)" }
    guard elementTypes.count == program.weights.count else {
      return "\(elementTypes.count) element types for \(program.weights.count) weights"
    }
    for op in program.ops {
      guard case .matmul(let product) = op else { continue }
      let (type, spec) = (
        elementTypes[product.weight.index], program.weights[product.weight.index]
      )
      guard fm_matmul_supports(type.ggufID) == 1 else {
        return "matmul: no kernel for \(type.rawValue) ('\(spec.name)')"
      }
      let multiple = fm_block_columns(fm_type(rawValue: type.ggufID))
      if spec.columns % multiple != 0 {
        return "matmul: rows of \(type.rawValue) are multiples of \(multiple), "
          + "'\(spec.name)' has \(spec.columns)"
      }
    }
    return nil
  }

  /// Makes a ``CPUExecutor``.
  package func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor {
    try CPUExecutor(
      program: program, weights: weights, configuration: configuration, pool: pool,
      threads: threads, instructionSet: instructionSet)
  }
}
