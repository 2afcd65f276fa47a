extension LanguageModelSession {
  /// How many tokens requests took.
  public struct Usage: Sendable {
    /// Tokens that models read.
    public struct Input: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those that were not computed again because they were cached.
      public var cachedTokenCount: Int

      /// Token counts of what was read.
      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    /// Tokens that models generated.
    public struct Output: Sendable {
      /// All of them.
      public var totalTokenCount: Int
      /// Those of thoughts.
      public var reasoningTokenCount: Int

      /// Token counts of what was generated.
      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    /// Tokens that models read.
    public var input: Input
    /// Tokens that models generated.
    public var output: Output
    /// What models noted about it.
    public var metadata: [String: GeneratedContent]

    /// Token counts by their parts.
    public init(
      input: Input, output: Output, metadata: [String: any ConvertibleToGeneratedContent] = [:]
    ) {
      self.input = input
      self.output = output
      self.metadata = metadata.mapValues(\.generatedContent)
    }

    /// Tokens read and generated together.
    public var totalTokenCount: Int {
      let (sum, overflows) = input.totalTokenCount.addingReportingOverflow(output.totalTokenCount)
      return overflows ? .max : sum
    }

    static let none = Usage(
      input: Input(totalTokenCount: 0, cachedTokenCount: 0),
      output: Output(totalTokenCount: 0, reasoningTokenCount: 0))

    /// The counts of both together; notes of `other` count where both have some.
    ///
    /// Counts come from foreign servers, so sums stop at the largest integer.
    func adding(_ other: Usage) -> Usage {
      func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
      }
      return Usage(
        input: Input(
          totalTokenCount: sum(input.totalTokenCount, other.input.totalTokenCount),
          cachedTokenCount: sum(input.cachedTokenCount, other.input.cachedTokenCount)),
        output: Output(
          totalTokenCount: sum(output.totalTokenCount, other.output.totalTokenCount),
          reasoningTokenCount: sum(output.reasoningTokenCount, other.output.reasoningTokenCount)),
        metadata: metadata.merging(other.metadata) { $1 })
    }
  }
}
