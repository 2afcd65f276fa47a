package import FMCore

/// A device that can run programs: it compiles a program and loads its weights.
///
/// Opening an executor is the only thing asked of it; no method is specific to an op.
package protocol Backend: Sendable {
  /// What the device is, for people and for recorded runs.
  var device: DeviceDescription { get }

  /// Bytes of the device's own memory that the driver counts for this process; nil when it tells none.
  var usedMemoryBytes: Int? { get }

  /// Says why the program cannot run here: the op, the type and the limit; nil when it can.
  ///
  /// `elementType` gives the stored type of each weight of the program, in order.
  func unsupported(_ program: Program, elementTypes: [ElementType]) -> String?

  /// Compiles `program`, loads its weights and makes the KV cache.
  ///
  /// The executor keeps `weights` alive as long as it needs the bytes. What is returned belongs to
  /// one thread at a time.
  /// - Throws: ``BackendError`` when an op or type is unsupported, a weight is missing or has
  ///   another shape, or memory is short.
  func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor
}

extension Backend {
  /// A processor's memory is the process's.
  package var usedMemoryBytes: Int? { nil }
}

/// What a device is called and what it is.
package struct DeviceDescription: Sendable, Hashable {
  /// The class of device, which decides defaults: a software GPU is never chosen by itself.
  package enum Kind: String, Sendable, Hashable, Codable {
    case cpu, discreteGPU, integratedGPU, softwareGPU, reference
    /// None of this machine: a server that answers requests.
    case server
  }

  /// The name users select it by: `cpu`, `vulkan:0`.
  package var selector: String
  /// The marketing or driver name.
  package var name: String
  package var kind: Kind
  /// Instruction set, thread count, driver version: what a recorded run needs to be told apart.
  package var details: [String]

  package init(selector: String, name: String, kind: Kind, details: [String]) {
    self.selector = selector
    self.name = name
    self.kind = kind
    self.details = details
  }
}

/// How an executor is sized.
package struct ExecutorConfiguration: Sendable, Hashable {
  /// How keys and values are stored.
  package enum KVElement: String, Sendable, Hashable, Codable {
    case f16
    case q8_0
  }

  /// The most rows of a step.
  package var maximumRows: Int
  /// The most output requests of a step.
  package var maximumOutputs: Int
  /// KV blocks for each group of the program's layout, same order.
  ///
  /// Block numbers are `0 ..< count`.
  package var blockCounts: [Int]
  package var kvElement: KVElement

  package init(
    maximumRows: Int, maximumOutputs: Int, blockCounts: [Int], kvElement: KVElement = .f16
  ) {
    self.maximumRows = maximumRows
    self.maximumOutputs = maximumOutputs
    self.blockCounts = blockCounts
    self.kvElement = kvElement
  }
}

/// A compiled program with its weights and KV cache on a device.
///
/// Not safe for concurrent use: one owner calls it, from one thread at a time.
package protocol Executor: AnyObject {
  var program: Program { get }
  var configuration: ExecutorConfiguration { get }
  /// Bytes it holds beyond the mapped model file: packed weights, KV cache, scratch.
  var memoryBytes: Int { get }

  /// Runs one step and waits for it.
  ///
  /// A row's results are the same to the bit whatever other rows the step has.
  /// - Throws: ``BackendError`` when the step is malformed or the device fails.
  func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError)

  /// Copies one KV block over another in every layer of a group.
  func copyBlock(group: Int, from source: Int, to destination: Int) throws(BackendError)

  /// The bytes of one KV block of every layer of a group, in the device's own order.
  func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8]

  /// Restores what ``exportBlock(group:block:)`` gave, on an executor of the same configuration.
  func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError)
}

/// The tensors of a model file, by name.
package protocol WeightSource: AnyObject, Sendable {
  /// The tensor, or nil when the file has none of that name. The bytes live as long as the source.
  func tensor(named name: String) -> WeightTensor?

  /// Takes note that a tensor's bytes are not needed soon, as after a back end packed them.
  ///
  /// They stay readable: a mapped file gives the memory back and reads again what is touched later.
  func release(_ tensor: WeightTensor)
}

extension WeightSource {
  /// Keeps everything.
  package func release(_ tensor: WeightTensor) {}
}

/// One tensor's type, shape and bytes.
///
/// SAFETY: the bytes are immutable and owned by the ``WeightSource`` the tensor came from.
package struct WeightTensor: @unchecked Sendable {
  package var name: String
  package var type: ElementType
  /// Row length: the contiguous dimension.
  package var columns: Int
  /// Product of the other dimensions.
  package var rows: Int
  /// `rows * type.byteCount(elements: columns)` bytes.
  package var bytes: UnsafeRawBufferPointer

  package init(
    name: String, type: ElementType, columns: Int, rows: Int, bytes: UnsafeRawBufferPointer
  ) {
    self.name = name
    self.type = type
    self.columns = columns
    self.rows = rows
    self.bytes = bytes
  }
}

/// What can go wrong in a back end.
package enum BackendError: Error, Equatable, Sendable {
  /// The program has a weight the file lacks.
  case missingWeight(name: String)
  /// A weight's shape is not the program's: `[rows, columns]`.
  case weightShape(name: String, expected: [Int], found: [Int])
  /// The device cannot run this op with this type.
  case unsupported(op: String, reason: String)
  /// Memory could not be had.
  case outOfMemory(bytes: Int, purpose: String)
  /// A step breaks a rule of ``Step``; a mistake of the caller, reported and not run.
  case invalidStep(String)
  /// The device stopped answering.
  case deviceLost(String)
}

extension BackendError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingWeight(let name):
      "the model has no tensor '\(name)'\nhint: the file may be incomplete or of another model"
    case .weightShape(let name, let expected, let found):
      "tensor '\(name)' has shape \(found), expected \(expected)"
    case .unsupported(let op, let reason):
      "\(op) cannot run on this device: \(reason)"
    case .outOfMemory(let bytes, let purpose):
      "no memory for \(purpose) (\(bytes) bytes)\nhint: a smaller --context needs less, and so do fewer "
        + "--cache-windows of fmbench"
    case .invalidStep(let reason):
      "malformed step: \(reason)"
    case .deviceLost(let reason):
      "the device was lost: \(reason)"
    }
  }
}
