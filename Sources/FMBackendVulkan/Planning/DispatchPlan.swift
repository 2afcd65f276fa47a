import FMBackend
import FMCore

/// A program as a list of fused nodes over device storage, for few or for many rows.
struct DispatchPlan: Sendable, Hashable {
  /// Storages, in floats a row: values that one product writes together share one.
  var strides: [Int] = []
  /// Where each value of the program lies.
  var slots: [Slot] = []
  /// What runs, in order.
  var nodes: [Node] = []

  /// Columns of a storage.
  struct Slot: Sendable, Hashable {
    var storage: Int
    var column: Int
    var width: Int
    var domain: RowDomain
  }

  /// A run of matrices on top of each other.
  typealias MatrixKey = [WeightID]

  /// One step of the plan: one kernel, or two where sizes ask for it.
  enum Node: Sendable, Hashable {
    case embedding(table: WeightID, scale: Float, output: Slot)
    case input(Slot)
    case norm(Norm)
    case product(Product)
    case heads(Heads)
    case attention(Op.Attention, query: Slot, output: Slot)
    case elementwise(Elementwise)
  }

  /// A norm with what is fused into it.
  struct Norm: Sendable, Hashable {
    var input: Slot
    var weight: WeightID
    var groupWidth: Int
    var epsilon: Float
    var output: Slot
    /// Added to the normed row.
    var residual: Slot?
    /// Rows are taken from the rows of the step that asked for an output.
    var gathers = false
  }

  /// A matrix product with what is fused into it.
  struct Product: Sendable, Hashable {
    var input: Slot
    var matrix: MatrixKey
    var bias: [WeightID]?
    var residual: Slot?
    /// Gate and up rows of the matrix become one output.
    var gate: Op.GatedActivation.Kind?
    var output: Slot
  }

  /// Norms, rotation and storing of the heads of a layer.
  struct Heads: Sendable, Hashable {
    var headWidth: Int
    var query: Slot?
    var queryHeads = 0
    var queryNorm: WeightID?
    var key: Slot?
    var keyNorm: WeightID?
    var value: Slot?
    var kvHeads = 0
    var epsilon: Float = 0
    var table: RoPETableID?
    var pairing = Op.RoPE.Pairing.interleaved
    var layer: Int?
  }

  /// An op on every element.
  struct Elementwise: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      case add
      case gate(Op.GatedActivation.Kind)
      case softCap(Float)
      case gather
    }

    var kind: Kind
    var left: Slot
    var right: Slot?
    var output: Slot
  }
}
