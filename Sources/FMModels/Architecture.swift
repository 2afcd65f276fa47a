package import FMBackend

/// A family of models: how to build a program from a model file's metadata and tensor shapes.
package protocol Architecture: SendableMetatype {
  /// The values of `general.architecture` it answers to.
  static var names: [String] { get }

  /// Builds the program for sequences of up to `contextLength` positions (the trained length
  /// where nil or longer).
  ///
  /// It need not check the tensors: ``ModelRegistry`` compares what the program refers to with the
  /// file afterwards.
  static func program(
    source: any ModelSource, contextLength: Int?
  ) throws(ModelError) -> Program
}
