/// What a model can do beyond text.
public struct LanguageModelCapabilities: Sendable, Hashable {
  private let capabilities: [Capability]

  /// One thing a model may be able to do.
  public struct Capability: Sendable, Hashable {
    let name: String

    /// It reads images.
    public static let vision = Capability(name: "images")
    /// Its answers follow a schema without fail.
    public static let guidedGeneration = Capability(name: "guided generation")
    /// It thinks before it answers, as long as it is told.
    public static let reasoning = Capability(name: "reasoning")
    /// It calls tools.
    public static let toolCalling = Capability(name: "tool calling")
  }

  /// These capabilities.
  public init(_ capabilities: [Capability]) { self.capabilities = capabilities }

  /// Whether the model has a capability.
  public func contains(_ capability: Capability) -> Bool { capabilities.contains(capability) }
}
