package import FMCore

/// Runs programs in plain Swift: slow, obvious, and what every other back end is compared with.
///
/// Weights are decoded exactly, activations stay `f32`, long sums are `f64`. A row's results are the
/// same to the bit whatever rows are beside it. It reads every ``ElementType``.
package struct ReferenceBackend: Backend {
  package init() {}

  package var device: DeviceDescription {
    DeviceDescription(
      selector: "reference", name: "plain Swift reference", kind: .reference, details: [])
  }

  /// Only a program that breaks the rules cannot run here.
  package func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
    do throws(ProgramError) {
      try program.validate()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Makes a ``ReferenceExecutor``.
  package func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor {
    try ReferenceExecutor(program: program, weights: weights, configuration: configuration)
  }
}

extension Program {
  /// Finds all weights of a program and checks their shapes and sizes.
  ///
  /// Shared by the back ends. The tensors' bytes live as long as `source`.
  /// - Throws: ``BackendError/missingWeight(name:)`` or
  ///   ``BackendError/weightShape(name:expected:found:)``.
  package func tensors(from source: any WeightSource) throws(BackendError) -> [WeightTensor] {
    var tensors: [WeightTensor] = []
    for spec in weights {
      guard let tensor = source.tensor(named: spec.name) else {
        throw .missingWeight(name: spec.name)
      }
      let rowBytes = tensor.type.byteCount(elements: tensor.columns)
      guard tensor.rows == spec.rows, tensor.columns == spec.columns,
        tensor.bytes.count == rowBytes.map({ $0 * tensor.rows })
      else {
        throw .weightShape(
          name: spec.name, expected: [spec.rows, spec.columns],
          found: [tensor.rows, tensor.columns])
      }
      tensors.append(tensor)
    }
    return tensors
  }
}
