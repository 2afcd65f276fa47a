internal import FMBackend
internal import FMCore
internal import Glibc

/// What the shaders read of a step, in memory the host writes and the device sees.
///
/// Tokens, positions, block tables and the rest have fixed places, so one recording serves every
/// step of its shape. A section that a step outgrows is made larger; recordings are void then.
final class StepBuffer {
  /// The parts of the buffer.
  enum Section: Int, CaseIterable {
    case tokens, positions, sequences, outputRows, requests, tiles, starts, blocks, biases, masks
    case inputs
  }

  private let device: VulkanDevice
  private let rotations: [Rotation]
  private let rows: Int
  private(set) var buffer: VulkanBuffer
  /// Words each section holds.
  private var capacities: [Int]
  private var offsets: [Int] = []
  private var angleOffsets: [Int] = []

  /// The angles of a rotation table, in radians per position and pair.
  struct Rotation {
    var width: Int
    var frequencies: [Double]
  }

  init(
    device: VulkanDevice, program: Program, configuration: ExecutorConfiguration,
    rotations: [Rotation]
  ) throws(VulkanError) {
    self.device = device
    self.rotations = rotations
    rows = configuration.maximumRows
    let outputs = max(1, configuration.maximumOutputs)
    let groups = program.kv.groups.count
    let blocks = configuration.blockCounts.reduce(0, +)
    capacities = [
      rows, rows, rows, outputs, 4 * outputs, 2 * rows, rows * groups + 1, max(64, blocks), 64, 1,
      rows * (program.inputWidth ?? 0),
    ]
    let layout = Self.layout(capacities, rotations: rotations, rows: rows)
    (offsets, angleOffsets) = (layout.offsets, layout.angles)
    buffer = try device.makeBuffer(
      bytes: layout.words * 4, kind: .shared, purpose: "step parameters")
  }

  var byteCount: Int { buffer.byteCount }

  private static func layout(
    _ capacities: [Int], rotations: [Rotation], rows: Int
  ) -> (offsets: [Int], angles: [Int], words: Int) {
    var end = 0
    func place(_ words: Int) -> Int {
      defer { end += (words + 63) / 64 * 64 }
      return end
    }
    let offsets = capacities.map { place($0) }
    let angles = rotations.map { place(rows * $0.width) }
    return (offsets, angles, end)
  }

  /// Adds the address of a section's word to push constants.
  func push(_ section: Section, word: Int = 0, into constants: inout VulkanPushConstants) {
    constants.address(buffer, offset: (offsets[section.rawValue] + word) * 4)
  }

  /// Adds the address of a rotation table's angles: `[rows][cosines, sines]`.
  func pushAngles(_ table: Int, into constants: inout VulkanPushConstants) {
    constants.address(buffer, offset: angleOffsets[table] * 4)
  }

  /// Makes room for a step; true when addresses have changed.
  func reserve(
    _ step: borrowing Step, vocabularyWords: Int
  ) throws(VulkanError) -> Bool {
    var needed = capacities
    var (masks, biases) = (0, 0)
    for index in step.outputs.indices {
      if step.outputs[index].mask != nil { masks += vocabularyWords }
      biases += 2 * step.outputs[index].bias.count
    }
    raise(&needed[Section.blocks.rawValue], to: step.blocks.count)
    raise(&needed[Section.starts.rawValue], to: step.tableStarts.count)
    raise(&needed[Section.biases.rawValue], to: biases)
    raise(&needed[Section.masks.rawValue], to: masks)
    if needed == capacities { return false }
    let layout = Self.layout(needed, rotations: rotations, rows: rows)
    buffer = try device.makeBuffer(
      bytes: layout.words * 4, kind: .shared, purpose: "step parameters")
    (capacities, offsets, angleOffsets) = (needed, layout.offsets, layout.angles)
    return true
  }

  /// Doubles rather than fits, so that growth ends soon.
  private func raise(_ capacity: inout Int, to count: Int) {
    if count > capacity { capacity = max(count, 2 * capacity) }
  }

  // MARK: Writing a step

  private func words(_ section: Section) -> UnsafeMutablePointer<Int32> {
    start(offsets[section.rawValue])
  }

  private func start(_ word: Int) -> UnsafeMutablePointer<Int32> {
    guard let base = buffer.mapped?.baseAddress else { preconditionFailure("not mapped") }
    return (base + word * 4).assumingMemoryBound(to: Int32.self)
  }

  /// Writes all but the tiles; `limit` is the most candidates the device is asked for.
  func write(_ step: borrowing Step, vocabularyWords: Int, candidateLimit: Int) {
    copy(step.tokens, to: .tokens)
    copy(step.positions, to: .positions)
    copy(step.sequences, to: .sequences)
    copy(step.tableStarts, to: .starts)
    copy(step.blocks, to: .blocks)
    step.inputs.withUnsafeBytes { inputs in
      guard let source = inputs.baseAddress else { return }
      UnsafeMutableRawPointer(words(.inputs)).copyMemory(from: source, byteCount: inputs.count)
    }
    writeRequests(step, vocabularyWords: vocabularyWords, candidateLimit: candidateLimit)
    for index in rotations.indices { writeAngles(index, step) }
  }

  private func copy(_ values: [Int32], to section: Section) {
    values.withUnsafeBufferPointer { values in
      guard let source = values.baseAddress else { return }
      words(section).update(from: source, count: values.count)
    }
  }

  private func writeRequests(
    _ step: borrowing Step, vocabularyWords: Int, candidateLimit: Int
  ) {
    let rows = words(.outputRows)
    let requests = words(.requests)
    let masks = words(.masks)
    let biases = words(.biases)
    var (maskEnd, biasEnd) = (0, 0)
    for index in step.outputs.indices {
      rows[index] = Int32(step.outputs[index].row)
      let request = requests + 4 * index
      request[0] = 0
      guard case .candidates(let count) = step.outputs[index].kind, count <= candidateLimit
      else { continue }
      request[0] = Int32(count)
      request[1] = -1
      request[2] = Int32(biasEnd)
      request[3] = Int32(step.outputs[index].bias.count)
      for item in step.outputs[index].bias {
        biases[2 * biasEnd] = item.token
        biases[2 * biasEnd + 1] = Int32(bitPattern: item.bias.bitPattern)
        biasEnd += 1
      }
      guard let mask = step.outputs[index].mask else { continue }
      request[1] = Int32(maskEnd)
      for word in 0..<vocabularyWords {
        let bits = mask[word / 2] >> (word % 2 == 0 ? 0 : 32)
        masks[maskEnd + word] = Int32(truncatingIfNeeded: bits)
      }
      maskEnd += vocabularyWords
    }
  }

  /// Angles are computed in double and rounded once.
  private func writeAngles(_ index: Int, _ step: borrowing Step) {
    let rotation = rotations[index]
    let pairs = rotation.width / 2
    let target = UnsafeMutableRawPointer(start(angleOffsets[index]))
      .assumingMemoryBound(to: Float.self)
    for row in step.positions.indices {
      let position = Double(step.positions[row])
      let cosines = target + row * rotation.width
      for pair in 0..<pairs {
        let angle = position * rotation.frequencies[pair]
        cosines[pair] = Float(cos(angle))
        cosines[pairs + pair] = Float(sin(angle))
      }
    }
  }

  /// Writes tiles of at most `most` consecutive rows of one sequence; gives their number.
  func writeTiles(_ step: borrowing Step, most: Int) -> Int {
    let tiles = words(.tiles)
    var count = 0
    var row = 0
    while row < step.rowCount {
      var end = row + 1
      while end < step.rowCount, end - row < most, step.sequences[end] == step.sequences[row] {
        end += 1
      }
      tiles[2 * count] = Int32(row)
      tiles[2 * count + 1] = Int32(end - row)
      count += 1
      row = end
    }
    return count
  }
}

extension StepBuffer.Rotation {
  /// The frequencies of a program's tables, with their factors where a weight gives some.
  static func all(_ program: Program, tensors: [WeightTensor]) -> [StepBuffer.Rotation] {
    program.ropeTables.map { table in
      let factors = table.factors.map { Dequantize.all(of: tensors[$0.index]) }
      return StepBuffer.Rotation(
        width: table.width,
        frequencies: (0..<table.width / 2).map { pair in
          table.positionScale * pow(table.base, -2 * Double(pair) / Double(table.width))
            / Double(factors?[pair] ?? 1)
        })
    }
  }
}
