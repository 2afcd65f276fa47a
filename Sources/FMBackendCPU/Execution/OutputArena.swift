internal import CFMKernels
internal import FMBackend
internal import Glibc

/// Memory for the requests of a step; grows when a step asks for more than any before.
final class OutputArena {
  private(set) var scan: OutputScan
  let rows: UnsafeMutablePointer<Int32>
  private let maximumOutputs: Int
  private let threads: Int
  private var maskCapacity = 0
  private var biasCapacity = 0
  private var entryCapacity = 0

  init(vocabularySize: Int, maximumOutputs: Int, threads: Int) {
    self.maximumOutputs = maximumOutputs
    self.threads = threads
    let most = max(maximumOutputs, 1)
    rows = .allocate(capacity: most)
    scan = OutputScan(
      vocabularySize: vocabularySize, requests: .allocate(capacity: most),
      sums: .allocate(capacity: 1), masks: .allocate(capacity: 1), biases: .allocate(capacity: 1),
      entries: .allocate(capacity: 1), heapCounts: .allocate(capacity: most * threads))
    scan.sums.deallocate()
    scan.sums = .allocate(capacity: most * max(scan.chunkCount, 1))
  }

  deinit {
    rows.deallocate()
    scan.requests.deallocate()
    scan.sums.deallocate()
    scan.masks.deallocate()
    scan.biases.deallocate()
    scan.entries.deallocate()
    scan.heapCounts.deallocate()
  }

  /// Notes a step's requests; `step` has passed its check.
  func prepare(_ step: borrowing Step) {
    reserve(step)
    let words = (scan.vocabularySize + 63) / 64
    var (masks, biases, entries) = (0, 0, 0)
    scan.requestCount = 0
    for index in step.outputs.indices {
      rows[index] = Int32(step.outputs[index].row)
      guard case .candidates(let count) = step.outputs[index].kind else { continue }
      let capacity = min(count, scan.vocabularySize)
      var request = OutputScan.Request(
        output: index, capacity: capacity, heap: entries, mask: -1,
        biases: biases..<biases + step.outputs[index].bias.count)
      if let mask = step.outputs[index].mask {
        for word in 0..<words { scan.masks[masks + word] = mask[word] }
        request.mask = masks
        masks += words
      }
      for bias in step.outputs[index].bias {
        scan.biases[biases] = bias
        biases += 1
      }
      entries += capacity * threads
      scan.requests[scan.requestCount] = request
      scan.requestCount += 1
    }
  }

  private func reserve(_ step: borrowing Step) {
    let words = (scan.vocabularySize + 63) / 64
    var (masks, biases, entries) = (0, 0, 0)
    for index in step.outputs.indices {
      guard case .candidates(let count) = step.outputs[index].kind else { continue }
      if step.outputs[index].mask != nil { masks += words }
      biases += step.outputs[index].bias.count
      entries += min(count, scan.vocabularySize) * threads
    }
    Self.grow(&scan.masks, &maskCapacity, to: masks)
    Self.grow(&scan.biases, &biasCapacity, to: biases)
    Self.grow(&scan.entries, &entryCapacity, to: entries)
  }

  private static func grow<Element>(
    _ memory: inout UnsafeMutablePointer<Element>, _ capacity: inout Int, to count: Int
  ) {
    guard count > capacity else { return }
    memory.deallocate()
    memory = .allocate(capacity: count)
    capacity = count
  }

  /// Appends the answers to a step that `count` threads ran.
  ///
  /// `logits` gives an output's logits.
  func collect(
    _ step: borrowing Step, threads count: Int, into result: inout StepResult,
    logits: (Int) -> UnsafePointer<Float>
  ) {
    var number = 0
    for index in step.outputs.indices {
      switch step.outputs[index].kind {
      case .logits:
        let start = result.logits.count
        result.logits.append(
          contentsOf: UnsafeBufferPointer(start: logits(index), count: scan.vocabularySize))
        result.entries.append(.init(range: start..<result.logits.count, logSumExp: 0))
      case .candidates:
        collect(request: number, threads: count, into: &result)
        number += 1
      }
    }
  }

  private func collect(request number: Int, threads count: Int, into result: inout StepResult) {
    let request = scan.requests[number]
    var heap = fm_candidate_heap(
      entries: scan.entries + request.heap, count: scan.heapCounts[number * count],
      capacity: request.capacity)
    for thread in 1..<max(count, 1) {
      for entry in 0..<scan.heapCounts[number * count + thread] {
        fm_heap_offer(&heap, scan.entries[request.heap + thread * request.capacity + entry])
      }
    }
    fm_heap_sort(&heap)
    let start = result.candidates.count
    for entry in 0..<heap.count {
      result.candidates.append(
        Candidate(token: heap.entries[entry].token, logit: heap.entries[entry].logit))
    }
    result.entries.append(
      .init(range: start..<result.candidates.count, logSumExp: logSumExp(number)))
  }

  /// The chunks' sums together, in double, in ascending order; NaN where a chunk has a NaN.
  private func logSumExp(_ number: Int) -> Float {
    let chunks = UnsafeBufferPointer(
      start: scan.sums + number * scan.chunkCount, count: scan.chunkCount)
    var largest = -Float.infinity
    for chunk in chunks {
      if chunk.sum.isNaN { return .nan }
      if chunk.maximum > largest { largest = chunk.maximum }
    }
    guard largest.isFinite else { return largest }
    var sum = 0.0
    for chunk in chunks where chunk.maximum > -.infinity {
      sum += Double(chunk.sum) * exp(Double(chunk.maximum) - Double(largest))
    }
    return Float(Double(largest) + log(sum))
  }
}
