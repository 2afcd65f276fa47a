internal import CFMKernels
package import FMBackend
internal import FMCore

extension CPUBackend: PeakMeasuring {
  /// A copy and multiply-adds on all threads of the back end, with the instruction set of its kernels.
  package func measuredPeaks() throws(BackendError) -> DevicePeaks {
    DevicePeaks(
      copyBytesPerSecond: try copyRate(bytes: 128 << 20), flopsPerSecond: multiplyAddRate())
  }

  /// Bytes read plus written a second; the first try, which touches the memory, does not count.
  private func copyRate(bytes: Int) throws(BackendError) -> Double {
    let from = try HugeMemory(byteCount: bytes, purpose: "the copy that is measured")
    let to = try HugeMemory(byteCount: bytes, purpose: "the copy that is measured")
    // Fresh memory is one page of zeros, which no copy has to fetch.
    from.start.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    var task = fm_copy_task(
      from: from.start.assumingMemoryBound(to: CChar.self),
      to: to.start.assumingMemoryBound(to: CChar.self), bytes: bytes, rounds: 1)
    let seconds = (0..<6).map { _ in time(&task, job: fm_copy_job) }.dropFirst().min() ?? 0
    return seconds > 0 ? Double(2 * bytes) / seconds : 0
  }

  /// Additions and multiplications a second over all threads.
  private func multiplyAddRate() -> Double {
    var task = fm_fma_task(isa: instructionSet.kernelValue, rounds: 4_000_000)
    let flops = Double(task.rounds) * Double(fm_fma_flops(task.isa)) * Double(threads)
    let seconds = (0..<6).map { _ in time(&task, job: fm_fma_job) }.dropFirst().min() ?? 0
    return seconds > 0 ? flops / seconds : 0
  }

  private func time<Task>(_ task: inout Task, job: @escaping fm_job) -> Double {
    withUnsafeMutablePointer(to: &task) { task in
      let start = MonotonicInstant.now
      pool.run(threads: threads, context: task, job: job)
      return MonotonicInstant.now.seconds(since: start)
    }
  }
}
