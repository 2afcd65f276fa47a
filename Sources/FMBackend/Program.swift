/// A model as data: a list of ops over named values, run in order.
///
/// An architecture builds one; a back end compiles it for a device and runs it for every step.
/// All values are row-major `f32` matrices `[rows, width]`, one row a token of the step.
package struct Program: Sendable, Hashable {
  /// Every value, indexed by `ValueID.index`.
  package var values: [ValueSpec] = []
  /// Every weight the ops refer to, indexed by `WeightID.index`.
  package var weights: [WeightSpec] = []
  /// Rotation tables, indexed by `RoPETableID.index`.
  package var ropeTables: [RoPETable] = []
  /// What the KV cache holds.
  package var kv: KVLayout = KVLayout(groups: [])
  /// The ops, in an order in which every value is written before it is read.
  package var ops: [Op] = []
  /// Indices into `ops` before which the program may be cut into stages: layer starts and the head.
  package var stageBoundaries: [Int] = []
  /// The value that holds the logits of the output rows, `[outputs, vocabularySize]`.
  ///
  /// A program that ends in the middle of a model gives what the next one takes instead: rows of
  /// another width, for which no candidates can be asked.
  package var logits: ValueID = ValueID(index: 0)
  /// Rows of the logits.
  package var vocabularySize: Int = 0
  /// Whether the program ends in the middle of a model: its `logits` are rows for the next one.
  package var endsInside: Bool = false
  /// The most positions a sequence can have.
  package var contextLength: Int = 0

  /// Elements of a row that an output request of kind `logits` gives: the vocabulary's size, but in
  /// programs that end in the middle of a model.
  package var outputWidth: Int { values[logits.index].width }

  /// The width of the rows that steps must give, or nil.
  package var inputWidth: Int? {
    for case .input(let op) in ops { return values[op.output.index].width }
    return nil
  }

  /// Creates an empty program; architectures fill it through ``ProgramBuilder``.
  package init() {}
}

/// Names a value of a program.
package struct ValueID: Sendable, Hashable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// Names a weight of a program.
package struct WeightID: Sendable, Hashable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// Names a rotation table of a program.
package struct RoPETableID: Sendable, Hashable {
  package var index: Int
  package init(index: Int) { self.index = index }
}

/// Which rows of a step a value has.
package enum RowDomain: String, Sendable, Hashable {
  /// One row for each token of the step.
  case step
  /// One row for each output the engine asked for.
  case outputs
}

/// A value's name (for printing and tracing), width and row domain.
package struct ValueSpec: Sendable, Hashable {
  package var name: String
  package var width: Int
  package var domain: RowDomain

  package init(name: String, width: Int, domain: RowDomain) {
    self.name = name
    self.width = width
    self.domain = domain
  }
}

/// A weight's tensor name in the model file and the shape the program expects.
package struct WeightSpec: Sendable, Hashable {
  package var name: String
  /// Output features of a matrix, or 1 for a vector.
  package var rows: Int
  /// Input features: the contiguous dimension, `ne[0]` in GGUF.
  package var columns: Int

  package init(name: String, rows: Int, columns: Int) {
    self.name = name
    self.rows = rows
    self.columns = columns
  }
}

/// The angles of a rotary embedding: `angle(p, i) = p * scale * base^(-2i/width) / factors[i]`.
package struct RoPETable: Sendable, Hashable {
  /// Rotated elements of a head; pairs are `width / 2`.
  package var width: Int
  package var base: Double
  /// Position scale: 1, or 1/factor for linear scaling.
  package var positionScale: Double
  /// A weight with `width / 2` divisors of the frequencies (`rope_freqs.weight`), where there is one.
  package var factors: WeightID?

  package init(width: Int, base: Double, positionScale: Double = 1, factors: WeightID? = nil) {
    self.width = width
    self.base = base
    self.positionScale = positionScale
    self.factors = factors
  }
}

/// The layers of a KV cache, grouped by how long they keep a position.
package struct KVLayout: Sendable, Hashable {
  /// Tokens of one KV block, everywhere: attention works in blocks of this many absolute positions.
  package static let blockTokens = 32

  package var groups: [KVGroup]

  package init(groups: [KVGroup]) { self.groups = groups }
}

/// Layers that share block tables: full-context layers, or layers with one sliding window.
package struct KVGroup: Sendable, Hashable {
  /// Model layers in ascending order.
  package var layers: [Int]
  package var kvHeads: Int
  package var headWidth: Int
  /// Positions a row can see, itself included; nil for the whole context.
  package var window: Int?

  package init(layers: [Int], kvHeads: Int, headWidth: Int, window: Int?) {
    self.layers = layers
    self.kvHeads = kvHeads
    self.headWidth = headWidth
    self.window = window
  }
}
