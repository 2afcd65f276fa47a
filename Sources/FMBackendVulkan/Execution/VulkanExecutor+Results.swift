internal import FMBackend
internal import FMCore

extension VulkanExecutor {
  /// Reads the answers to a step's requests, in their order.
  func collect(
    _ step: borrowing Step, _ wanted: Wanted, capacity: Int, into result: inout StepResult
  ) throws(VulkanError) {
    if wanted.logits, step.outputs.count > ResultBuffers.mostCopiedOutputs {
      try fetchRows(step.outputs.count)
    }
    for index in step.outputs.indices {
      switch step.outputs[index].kind {
      case .logits:
        let start = result.logits.count
        appendLogits(index, of: step.outputs.count, to: &result.logits)
        result.entries.append(.init(range: start..<result.logits.count, logSumExp: 0))
      case .candidates(let count):
        if wanted.hostChooses {
          hostLogits.removeAll(keepingCapacity: true)
          appendLogits(index, of: step.outputs.count, to: &hostLogits)
          CandidateSelection.append(step.outputs[index], logits: hostLogits, to: &result)
        } else {
          appendCandidates(index, count: count, capacity: capacity, to: &result)
        }
      }
    }
  }

  private func appendLogits(_ output: Int, of outputs: Int, to logits: inout [Float]) {
    let count = program.outputWidth
    if outputs <= ResultBuffers.mostCopiedOutputs, let mapped = state.results.logits.mapped {
      let floats = mapped.bindMemory(to: Float.self)
      logits.append(
        contentsOf: UnsafeBufferPointer(rebasing: floats[output * count..<(output + 1) * count]))
      return
    }
    let start = output * Int(state.values.stride(logitsSlot)) + logitsSlot.column
    logits.append(contentsOf: hostRows[start..<start + count])
  }

  /// Reads the logits of all outputs at once, where they are more than the recording copies.
  private func fetchRows(_ outputs: Int) throws(VulkanError) {
    let count = outputs * Int(state.values.stride(logitsSlot))
    if hostRows.count < count {
      hostRows.append(contentsOf: repeatElement(0, count: count - hostRows.count))
    }
    var failure: VulkanError?
    hostRows.withUnsafeMutableBytes { bytes in
      do throws(VulkanError) {
        try transfer.download(
          state.values.buffer(logitsSlot),
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<(count * 4)]))
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func appendCandidates(
    _ output: Int, count: Int, capacity: Int, to result: inout StepResult
  ) {
    guard let mapped = state.results.candidates.mapped else { preconditionFailure("not mapped") }
    let words = mapped.bindMemory(to: UInt32.self)
    let base = output * (2 + 2 * capacity)
    let start = result.candidates.count
    for index in 0..<min(count, Int(words[base])) {
      result.candidates.append(
        Candidate(
          token: TokenID(bitPattern: words[base + 2 + 2 * index]),
          logit: Float(bitPattern: words[base + 3 + 2 * index])))
    }
    result.entries.append(
      .init(
        range: start..<result.candidates.count, logSumExp: Float(bitPattern: words[base + 1])))
  }
}
