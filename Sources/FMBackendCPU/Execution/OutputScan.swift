internal import CFMKernels
internal import FMBackend

/// What the threads need to choose candidates, and what they leave.
///
/// Every request's logits are scanned in chunks of a fixed size; a thread takes consecutive chunks.
/// Sums do not depend on who took which, and the best of all are the best of the threads' bests.
struct OutputScan {
  /// The logits of output 0, and the floats from one output to the next.
  var logits = Buffer(offset: 0, stride: 0, isPrivate: false)
  var vocabularySize = 0
  var requests: UnsafeMutablePointer<Request>
  var requestCount = 0
  /// `[request][chunk]`.
  var sums: UnsafeMutablePointer<fm_chunk_sum>
  var masks: UnsafeMutablePointer<UInt64>
  var biases: UnsafeMutablePointer<TokenBias>
  /// Heap storage: thread t's entries of a request begin at its `heap + t * capacity`.
  var entries: UnsafeMutablePointer<fm_candidate>
  /// Entries in each heap, `[request][thread]`.
  var heapCounts: UnsafeMutablePointer<Int>

  var chunkCount: Int { (vocabularySize + Int(FM_LOGIT_CHUNK) - 1) / Int(FM_LOGIT_CHUNK) }

  /// A request for candidates.
  struct Request {
    var output: Int
    var capacity: Int
    /// Where its heaps begin in `entries`.
    var heap: Int
    /// Where its mask begins in `masks`, or -1.
    var mask: Int
    var biases: Range<Int>
  }

  /// A request's mask, or nil.
  func mask(_ request: Request) -> UnsafePointer<UInt64>? {
    request.mask < 0 ? nil : UnsafePointer(masks + request.mask)
  }
}

extension Worker {
  /// Scans this thread's chunks of every request for candidates.
  func scanOutputs() {
    let scan = machine.pointee.outputs
    let chunk = Int(FM_LOGIT_CHUNK)
    let mine = Partition.share(of: scan.chunkCount, index: index, threads: count)
    let (first, last) = (
      mine.lowerBound * chunk, min(mine.upperBound * chunk, scan.vocabularySize)
    )
    let kernels = machine.pointee.kernels.pointee
    for number in 0..<scan.requestCount {
      let request = scan.requests[number]
      let logits = floats(scan.logits, request.output)
      for bias in request.biases {
        let item = scan.biases[bias]
        if Int(item.token) >= first, Int(item.token) < last { logits[Int(item.token)] += item.bias }
      }
      var heap = fm_candidate_heap(
        entries: scan.entries + request.heap + index * request.capacity, count: 0,
        capacity: request.capacity)
      for piece in mine {
        let (start, end) = (piece * chunk, min((piece + 1) * chunk, scan.vocabularySize))
        if let sum = kernels.chunk_sum?(logits, scan.mask(request), start, end) {
          scan.sums[number * scan.chunkCount + piece] = sum
        }
        kernels.offer_candidates?(logits, scan.mask(request), start, end, &heap)
      }
      scan.heapCounts[number * count + index] = heap.count
    }
  }
}
