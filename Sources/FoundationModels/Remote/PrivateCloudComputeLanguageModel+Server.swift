// Extension: a server of one's own in the place of Apple's.

extension PrivateCloudComputeLanguageModel {
  /// The model, with a server of chat completions in its place.
  public convenience init(standIn server: ChatCompletionsLanguageModel, contextSize: Int) {
    self.init(server: server, contextSize: contextSize)
  }
}
