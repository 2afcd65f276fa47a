import FMCore
import Glibc

/// One function an op, each written as its definition reads.
enum ReferenceOps {
  static func embedding(table: WeightTensor, tokens: [TokenID], scale: Float) -> [Float] {
    var output = [Float](repeating: 0, count: tokens.count * table.columns)
    output.withUnsafeMutableBufferPointer { buffer in
      for (row, token) in tokens.enumerated() {
        let range = row * table.columns..<(row + 1) * table.columns
        Dequantize.row(
          Int(token), of: table, into: UnsafeMutableBufferPointer(rebasing: buffer[range]))
      }
      for index in buffer.indices { buffer[index] *= scale }
    }
    return output
  }

  static func rmsNorm(_ input: [Float], weight: [Float], epsilon: Float) -> [Float] {
    var output = input
    let width = weight.count
    for start in stride(from: 0, to: input.count, by: width) {
      var sum = 0.0
      for index in start..<start + width { sum += Double(input[index]) * Double(input[index]) }
      let factor = 1 / (sum / Double(width) + Double(epsilon)).squareRoot()
      for index in 0..<width {
        output[start + index] = Float(Double(input[start + index]) * factor) * weight[index]
      }
    }
    return output
  }

  /// `[rows, K] × [M, K]ᵀ`; one weight row is decoded at a time and serves all input rows.
  static func matmul(_ input: [Float], weight: WeightTensor) -> [Float] {
    let (outputs, width) = (weight.rows, weight.columns)
    let rows = input.count / width
    var output = [Float](repeating: 0, count: rows * outputs)
    var decoded = [Float](repeating: 0, count: width)
    for feature in 0..<outputs {
      decoded.withUnsafeMutableBufferPointer { Dequantize.row(feature, of: weight, into: $0) }
      for row in 0..<rows {
        output[row * outputs + feature] = dot(
          input, row * width, decoded, 0, count: width)
      }
    }
    return output
  }

  /// A dot product in `f64` with four partial sums, so that the compiler can keep it fast.
  private static func dot(
    _ left: [Float], _ leftStart: Int, _ right: [Float], _ rightStart: Int, count: Int
  ) -> Float {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        var sums = SIMD4<Double>(repeating: 0)
        var index = 0
        while index + 4 <= count {
          for lane in 0..<4 {
            sums[lane] +=
              Double(left[leftStart + index + lane]) * Double(right[rightStart + index + lane])
          }
          index += 4
        }
        var sum = (sums[0] + sums[1]) + (sums[2] + sums[3])
        while index < count {
          sum += Double(left[leftStart + index]) * Double(right[rightStart + index])
          index += 1
        }
        return Float(sum)
      }
    }
  }

  /// One row of attention: `query` is `[heads * headWidth]`, `slots` the positions it sees.
  static func attention(
    _ op: Op.Attention, query: ArraySlice<Float>, slots: [Int], layer: ReferenceCache.Layer
  ) -> [Float] {
    let query = Array(query)
    let width = op.headWidth
    let rowWidth = op.kvHeads * width
    var output: [Float] = []
    for head in 0..<op.heads {
      let offset = head / (op.heads / op.kvHeads) * width
      let scores = slots.map { slot in
        capped(
          Double(
            dot(query, head * width, layer.keys, slot * rowWidth + offset, count: width) * op.scale),
          op.softCap)
      }
      let largest = scores.reduce(-Double.infinity, max)
      let weights = scores.map { exp($0 - largest) }
      let total = weights.reduce(0, +)
      var mixed = [Double](repeating: 0, count: width)
      for (weight, slot) in zip(weights, slots) {
        for index in 0..<width {
          mixed[index] += weight * Double(layer.values[slot * rowWidth + offset + index])
        }
      }
      output += mixed.map { Float($0 / total) }
    }
    return output
  }

  private static func capped(_ score: Double, _ cap: Float?) -> Double {
    guard let cap else { return score }
    return Double(cap) * tanh(score / Double(cap))
  }

  static func gatedActivation(
    _ kind: Op.GatedActivation.Kind, gate: [Float], up: [Float]
  ) -> [Float] {
    zip(gate, up).map { gate, up in
      let x = Double(gate)
      return switch kind {
      case .silu: Float(x / (1 + exp(-x)) * Double(up))
      case .geluTanh:
        Float(
          0.5 * x * (1 + tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
            * Double(up))
      }
    }
  }

  static func add(_ left: [Float], _ right: [Float]) -> [Float] {
    zip(left, right).map { $0 + $1 }
  }

  static func softCap(_ input: [Float], cap: Float) -> [Float] {
    input.map { Float(capped(Double($0), cap)) }
  }
}

/// The frequencies of a ``RoPETable``.
struct ReferenceRoPE {
  private let frequencies: [Double]

  init(_ table: RoPETable, factors: [Float]?) {
    frequencies = (0..<table.width / 2).map { pair in
      let frequency = pow(table.base, -2 * Double(pair) / Double(table.width))
      return table.positionScale * frequency / Double(factors?[pair] ?? 1)
    }
  }

  /// Rotates the heads of every row by the row's position.
  func rotate(
    _ input: [Float], heads: Int, headWidth: Int, pairing: Op.RoPE.Pairing, positions: [Int32]
  ) -> [Float] {
    var output = input
    let half = frequencies.count
    for (row, position) in positions.enumerated() {
      for pair in 0..<half {
        let angle = Double(position) * frequencies[pair]
        let (cosine, sine) = (cos(angle), sin(angle))
        let (first, second) = pairing == .halves ? (pair, pair + half) : (2 * pair, 2 * pair + 1)
        for head in 0..<heads {
          let start = (row * heads + head) * headWidth
          let (x, y) = (Double(input[start + first]), Double(input[start + second]))
          output[start + first] = Float(x * cosine - y * sine)
          output[start + second] = Float(x * sine + y * cosine)
        }
      }
    }
    return output
  }
}
