internal import CFMKernels
internal import FMBackend

/// Memory that attention works in.
struct AttentionMemory {
  /// Each thread's scratch.
  var scratch: UnsafeMutablePointer<Float>
  var scratchStride: Int
  /// For each thread but the last: the state and the partial results of a unit that it begins and
  /// others go on with.
  var slots: UnsafeMutablePointer<Float>
  var slotStride: Int
  /// Where the partial results begin in a slot.
  var slotPartials: Int
  /// Whether units may be divided: only with few rows, for which slots have room.
  var mayDivide: Bool
}

/// Attention: units of one tile and KV head, weighed by their blocks and dealt out in order.
///
/// Where few heads would leave threads idle, the line of all blocks is cut into equal parts instead,
/// through the middle of a unit: whoever has a unit's first block merges as it goes, the others leave
/// each block's partial results, and the first merges those after a barrier. The arithmetic and its
/// order are the same in both ways.
extension Worker {
  /// Blocks below which dividing costs more than it saves.
  private static let leastDividedBlocks = 24

  private func weight(_ step: AttentionStep) -> Int {
    var blocks = 0
    for tile in 0..<view.tileCount {
      let tile = view.tiles[tile]
      blocks += tile.blocks(window: step.window).count * tile.rows
    }
    return blocks * step.kvHeads
  }

  mutating func attend(_ step: AttentionStep) {
    let total = weight(step)
    isDivided =
      machine.pointee.attention.mayDivide && count > 1 && total >= Self.leastDividedBlocks
    let (from, to) = (total * index / count, total * (index + 1) / count)
    let scratch =
      machine.pointee.attention.scratch
      + index * machine.pointee.attention.scratchStride
    forEachUnit(step) { tile, head, range in
      let task = task(step, tile, head, scratch: scratch)
      if isDivided {
        attendPart(task, range, from..<to, total: total)
      } else if range.lowerBound >= from && range.lowerBound < to {
        run(task)
      }
    }
  }

  /// Calls `body` with every unit: tile, KV head, and its place in the line of all blocks.
  private func forEachUnit(_ step: AttentionStep, _ body: (RowTile, Int, Range<Int>) -> Void) {
    var start = 0
    for number in 0..<view.tileCount {
      let tile = view.tiles[number]
      let weight = tile.blocks(window: step.window).count * tile.rows
      for head in 0..<step.kvHeads {
        body(tile, head, start..<start + weight)
        start += weight
      }
    }
  }

  /// The blocks of a unit that lie in this thread's part of the line.
  private func attendPart(
    _ whole: fm_attention_task, _ range: Range<Int>, _ mine: Range<Int>, total: Int
  ) {
    let part = range.clamped(to: mine)
    guard !part.isEmpty else { return }
    if part == range { return run(whole) }
    var task = whole
    let firstBlock = task.first_block
    task.first_block = firstBlock + part.lowerBound - range.lowerBound
    task.last_block = firstBlock + part.upperBound - range.lowerBound
    var owner = index
    while total * owner / count > range.lowerBound { owner -= 1 }
    let slot = slot(owner)
    if part.lowerBound == range.lowerBound {
      task.scratch = slot
      task.out = nil
    } else {
      let queries = task.rows * task.heads
      task.partials =
        slot + machine.pointee.attention.slotPartials
        + (task.first_block - firstBlock) * fm_partial_floats(queries, task.width)
    }
    run(task)
  }

  func mergeAttention(_ step: AttentionStep) {
    let total = weight(step)
    let (from, to) = (total * index / count, total * (index + 1) / count)
    forEachUnit(step) { tile, head, range in
      guard range.lowerBound >= from, range.lowerBound < to, range.upperBound > to else { return }
      let slot = slot(index)
      var task = task(step, tile, head, scratch: slot)
      let done = to - range.lowerBound
      let queries = task.rows * task.heads
      let partials =
        slot + machine.pointee.attention.slotPartials
        + done * fm_partial_floats(queries, task.width)
      machine.pointee.kernels.pointee.attention_merge?(
        &task, partials, range.count - done, 0, queries)
    }
  }

  private func slot(_ owner: Int) -> UnsafeMutablePointer<Float> {
    machine.pointee.attention.slots + owner * machine.pointee.attention.slotStride
  }

  private func run(_ task: fm_attention_task) {
    withUnsafePointer(to: task) { machine.pointee.kernels.pointee.attention?($0) }
  }

  private func task(
    _ step: AttentionStep, _ tile: RowTile, _ head: Int, scratch: UnsafeMutablePointer<Float>
  ) -> fm_attention_task {
    let group = machine.pointee.cache[step.group]
    let heads = step.heads / step.kvHeads
    let blocks = tile.blocks(window: step.window)
    let column = head * heads * step.width
    var task = fm_attention_task()
    task.query = UnsafePointer(floats(step.query, tile.firstRow) + column)
    task.query_stride = step.query.stride / MemoryLayout<Float>.size
    task.rows = tile.rows
    task.heads = heads
    task.width = step.width
    task.scale = step.scale
    task.cap = step.cap
    task.first_position = tile.position
    task.window = Int32(step.window)
    task.element = group.element
    task.cache = UnsafePointer(group.layer(step.layer) + head * group.headElements)
    task.block_stride = group.blockElements
    task.table = view.table(sequence: tile.sequence, group: step.group)
    task.first_block = blocks.lowerBound
    task.last_block = blocks.upperBound
    task.scratch = scratch
    task.out = floats(step.output, tile.firstRow) + column
    task.out_stride = step.output.stride / MemoryLayout<Float>.size
    return task
  }
}
