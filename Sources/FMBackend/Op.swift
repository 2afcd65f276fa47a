/// One operation of a ``Program``.
///
/// Rows are independent except in ``attention(_:)``.
package enum Op: Sendable, Hashable {
  case embedding(Embedding)
  case rmsNorm(RMSNorm)
  case matmul(Matmul)
  case rope(RoPE)
  case storeKV(StoreKV)
  case attention(Attention)
  case gatedActivation(GatedActivation)
  case add(Add)
  case gatherOutputs(GatherOutputs)
  case softCap(SoftCap)
  case input(Input)

  /// `output[r] = scale * table[token(r)]`, the table's row dequantized.
  package struct Embedding: Sendable, Hashable {
    package var table: WeightID
    package var scale: Float
    package var output: ValueID

    package init(table: WeightID, scale: Float, output: ValueID) {
      self.table = table
      self.scale = scale
      self.output = output
    }
  }

  /// Root-mean-square norm of each consecutive group of `groupWidth` elements of a row.
  ///
  /// `output = input / sqrt(mean(input²) + epsilon) * weight`; `weight` is `[groupWidth]` and serves
  /// every group. `groupWidth` is the row's width, or a head's width for query and key norms.
  /// Input and output may be the same value.
  package struct RMSNorm: Sendable, Hashable {
    package var input: ValueID
    package var weight: WeightID
    package var groupWidth: Int
    package var epsilon: Float
    package var output: ValueID

    package init(
      input: ValueID, weight: WeightID, groupWidth: Int, epsilon: Float, output: ValueID
    ) {
      self.input = input
      self.weight = weight
      self.groupWidth = groupWidth
      self.epsilon = epsilon
      self.output = output
    }
  }

  /// `output[r][m] = Σₖ weight[m][k] · input[r][k] (+ bias[m]) (+ residual[r][m])`.
  ///
  /// `bias` is `[M]`. Input and output are different values; `residual` may be the output itself.
  /// Order: the product is finished, then the bias is added, then the residual.
  package struct Matmul: Sendable, Hashable {
    package var input: ValueID
    package var weight: WeightID
    package var bias: WeightID?
    package var residual: ValueID?
    package var output: ValueID

    package init(
      input: ValueID, weight: WeightID, bias: WeightID? = nil, residual: ValueID? = nil,
      output: ValueID
    ) {
      self.input = input
      self.weight = weight
      self.bias = bias
      self.residual = residual
      self.output = output
    }
  }

  /// Rotary position embedding, in place, of the first `table.width` elements of every head.
  package struct RoPE: Sendable, Hashable {
    /// How the elements of a head are paired.
    package enum Pairing: String, Sendable, Hashable {
      /// (0,1), (2,3), …: what GGUF files of Llama-type models are permuted for.
      case interleaved
      /// (0, w/2), (1, w/2+1), …: Gemma, Qwen, Phi.
      case halves
    }

    package var value: ValueID
    package var heads: Int
    package var headWidth: Int
    package var pairing: Pairing
    package var table: RoPETableID

    package init(
      value: ValueID, heads: Int, headWidth: Int, pairing: Pairing, table: RoPETableID
    ) {
      self.value = value
      self.heads = heads
      self.headWidth = headWidth
      self.pairing = pairing
      self.table = table
    }
  }

  /// Writes a layer's keys and values, each `[rows, kvHeads * headWidth]`, at the rows' positions.
  ///
  /// Stored in the cache's element type; attention reads what was stored, never the `f32` source.
  package struct StoreKV: Sendable, Hashable {
    package var layer: Int
    package var key: ValueID
    package var value: ValueID

    package init(layer: Int, key: ValueID, value: ValueID) {
      self.layer = layer
      self.key = key
      self.value = value
    }
  }

  /// Causal grouped-query attention over a layer's cached keys and values.
  ///
  /// Query head h reads KV head `h / (heads / kvHeads)`. A row at position p sees positions
  /// `max(0, p - window + 1) ... p`. Scores are `scale · q·k`, then `cap · tanh(score / cap)` where
  /// there is a soft cap, then a softmax.
  package struct Attention: Sendable, Hashable {
    package var layer: Int
    /// `[rows, heads * headWidth]`.
    package var query: ValueID
    package var heads: Int
    package var kvHeads: Int
    package var headWidth: Int
    package var scale: Float
    package var window: Int?
    package var softCap: Float?
    /// `[rows, heads * headWidth]`.
    package var output: ValueID

    package init(
      layer: Int, query: ValueID, heads: Int, kvHeads: Int, headWidth: Int, scale: Float,
      window: Int? = nil, softCap: Float? = nil, output: ValueID
    ) {
      self.layer = layer
      self.query = query
      self.heads = heads
      self.kvHeads = kvHeads
      self.headWidth = headWidth
      self.scale = scale
      self.window = window
      self.softCap = softCap
      self.output = output
    }
  }

  /// `output = activation(gate) · up`, element by element.
  ///
  /// The output may be one of the inputs.
  package struct GatedActivation: Sendable, Hashable {
    /// The activation applied to the gate.
    package enum Kind: String, Sendable, Hashable {
      /// `x / (1 + e^-x)` (SwiGLU).
      case silu
      /// `x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))` (GeGLU, tanh form).
      case geluTanh
    }

    package var kind: Kind
    package var gate: ValueID
    package var up: ValueID
    package var output: ValueID

    package init(kind: Kind, gate: ValueID, up: ValueID, output: ValueID) {
      self.kind = kind
      self.gate = gate
      self.up = up
      self.output = output
    }
  }

  /// `output = left + right`.
  ///
  /// The output may be one of the inputs.
  package struct Add: Sendable, Hashable {
    package var left: ValueID
    package var right: ValueID
    package var output: ValueID

    package init(left: ValueID, right: ValueID, output: ValueID) {
      self.left = left
      self.right = right
      self.output = output
    }
  }

  /// Copies the rows that asked for an output, in the order of the step's output requests.
  package struct GatherOutputs: Sendable, Hashable {
    /// A value of the `step` domain.
    package var input: ValueID
    /// A value of the `outputs` domain.
    package var output: ValueID

    package init(input: ValueID, output: ValueID) {
      self.input = input
      self.output = output
    }
  }

  /// The step's given rows (``Step/inputs``): where a program goes on in the middle of a model.
  package struct Input: Sendable, Hashable {
    /// A value of the `step` domain.
    package var output: ValueID

    package init(output: ValueID) { self.output = output }
  }

  /// `value = cap · tanh(value / cap)`, in place (final logits of Gemma 2).
  package struct SoftCap: Sendable, Hashable {
    package var value: ValueID
    package var cap: Float

    package init(value: ValueID, cap: Float) {
      self.value = value
      self.cap = cap
    }
  }
}

extension Op {
  /// The values the op reads, in-place ones included.
  package var reads: [ValueID] {
    switch self {
    case .embedding: []
    case .rmsNorm(let op): [op.input]
    case .matmul(let op): [op.input] + (op.residual.map { [$0] } ?? [])
    case .rope(let op): [op.value]
    case .storeKV(let op): [op.key, op.value]
    case .attention(let op): [op.query]
    case .gatedActivation(let op): [op.gate, op.up]
    case .add(let op): [op.left, op.right]
    case .gatherOutputs(let op): [op.input]
    case .softCap(let op): [op.value]
    case .input: []
    }
  }

  /// The values the op writes.
  package var writes: [ValueID] {
    switch self {
    case .embedding(let op): [op.output]
    case .rmsNorm(let op): [op.output]
    case .matmul(let op): [op.output]
    case .rope(let op): [op.value]
    case .storeKV: []
    case .attention(let op): [op.output]
    case .gatedActivation(let op): [op.output]
    case .add(let op): [op.output]
    case .gatherOutputs(let op): [op.output]
    case .softCap(let op): [op.value]
    case .input(let op): [op.output]
    }
  }

  /// The layer whose cache the op writes, if it does.
  package var writesCache: Int? {
    if case .storeKV(let op) = self { op.layer } else { nil }
  }

  /// The layer whose cache the op reads, if it does.
  package var readsCache: Int? {
    if case .attention(let op) = self { op.layer } else { nil }
  }

  /// The op's name as printed, traced and listed by `fmbench ops`.
  package var name: String {
    switch self {
    case .embedding: "embedding"
    case .rmsNorm: "rms_norm"
    case .matmul: "matmul"
    case .rope: "rope"
    case .storeKV: "store_kv"
    case .attention: "attention"
    case .gatedActivation(let op): op.kind == .silu ? "swiglu" : "geglu"
    case .add: "add"
    case .gatherOutputs: "gather_outputs"
    case .softCap: "soft_cap"
    case .input: "input"
    }
  }
}
