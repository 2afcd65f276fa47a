extension LanguageModelSession {
  /// The model, instructions, tools and options of a session, as the state of an application wants them.
  ///
  /// Read again before every model call, so reading it must change nothing. Exactly one ``Profile`` is
  /// active at a time.
  @_typeEraser(AnyDynamicProfile)
  public protocol DynamicProfile: SendableMetatype {
    /// The profile this one is made of.
    associatedtype Body: DynamicProfile

    /// What is active now.
    @DynamicProfileBuilder var body: Body { get }
  }

  /// Instructions and tools that can be active in a session.
  public struct Profile: DynamicProfile, ProfileNode {
    private let collect: (inout InstructionsCollector) -> Void

    /// A profile with these instructions and tools.
    public init<Content: DynamicInstructions>(
      @DynamicInstructionsBuilder _ instructions: @escaping () -> Content
    ) {
      collect = { $0.collect(instructions()) }
    }

    /// Never read.
    public var body: Never { preconditionFailure("'Profile' has no body") }

    func collect(into collector: inout ProfileCollector) {
      var instructions = InstructionsCollector()
      collect(&instructions)
      collector.instructions = instructions
    }
  }

  /// A profile of any type.
  public struct AnyDynamicProfile: DynamicProfile, ProfileNode {
    private let content: any DynamicProfile

    /// Hides the type of a profile.
    public init(_ content: some DynamicProfile) { self.content = content }

    /// Hides the type of a profile.
    public init(erasing content: some DynamicProfile) { self.content = content }

    /// Never read.
    public var body: Never { preconditionFailure("an erased profile has no body") }

    func collect(into collector: inout ProfileCollector) { collector.collect(content) }
  }

  /// The profile of one of two branches.
  public struct ConditionalDynamicProfile<
    TrueContent: DynamicProfile, FalseContent: DynamicProfile
  >:
    DynamicProfile, ProfileNode
  {
    enum Branch {
      case first(TrueContent)
      case second(FalseContent)
    }

    let branch: Branch

    /// Never read.
    public var body: Never { preconditionFailure("a branch has no body") }

    func collect(into collector: inout ProfileCollector) {
      switch branch {
      case .first(let content):
        collector.path += "0"
        collector.collect(content)
      case .second(let content):
        collector.path += "1"
        collector.collect(content)
      }
    }
  }

  /// A profile changed by a modifier.
  public struct ModifiedDynamicProfile<Content: DynamicProfile, Modifier: DynamicProfileModifier>:
    DynamicProfile
  {
    let content: Content
    let modifier: Modifier

    /// What the modifier makes of the content.
    public var body: some DynamicProfile {
      modifier.body(content: DynamicProfileModifierContent<Modifier>(content: content))
    }
  }

  /// Changes a profile.
  public protocol DynamicProfileModifier {
    /// What becomes of the profile.
    associatedtype Body: DynamicProfile
    /// The profile that is changed.
    typealias Content = DynamicProfileModifierContent<Self>

    /// Makes a profile of `content`.
    @DynamicProfileBuilder func body(content: Content) -> Body
  }

  /// The profile that a modifier changes.
  public struct DynamicProfileModifierContent<Modifier: DynamicProfileModifier>: DynamicProfile,
    ProfileNode
  {
    let content: any DynamicProfile

    /// Never read.
    public var body: Never { preconditionFailure("a modifier's content has no body") }

    func collect(into collector: inout ProfileCollector) { collector.collect(content) }
  }

  /// Chooses one profile of the branches of a closure.
  @resultBuilder
  public struct DynamicProfileBuilder {
    /// The one profile.
    public static func buildBlock<Content: DynamicProfile>(_ content: Content) -> Content {
      content
    }

    /// The first branch.
    public static func buildEither<First: DynamicProfile, Second: DynamicProfile>(
      first content: First
    ) -> ConditionalDynamicProfile<First, Second> {
      ConditionalDynamicProfile(branch: .first(content))
    }

    /// The second branch.
    public static func buildEither<First: DynamicProfile, Second: DynamicProfile>(
      second content: Second
    ) -> ConditionalDynamicProfile<First, Second> {
      ConditionalDynamicProfile(branch: .second(content))
    }

    /// What is available.
    public static func buildLimitedAvailability(
      _ content: some DynamicProfile
    ) -> AnyDynamicProfile {
      AnyDynamicProfile(content)
    }
  }
}

extension LanguageModelSession.DynamicProfile {
  /// Short for use inside a profile.
  public typealias Profile = LanguageModelSession.Profile
  /// Short for use inside a profile.
  public typealias DynamicProfile = LanguageModelSession.DynamicProfile
}

extension Never: LanguageModelSession.DynamicProfile {}

/// What a profile comes to.
struct ProfileCollector {
  var instructions = InstructionsCollector()
  var settings: [ProfileSetting] = []
  /// Which branches were taken: tells whether another profile has become active.
  var path = ""

  /// Adds what `profile` says.
  mutating func collect(_ profile: some LanguageModelSession.DynamicProfile) {
    if let node = profile as? any ProfileNode {
      node.collect(into: &self)
    } else {
      path += "\(type(of: profile))/"
      collect(profile.body)
    }
  }
}

/// A profile that is not made of others.
protocol ProfileNode {
  func collect(into collector: inout ProfileCollector)
}
