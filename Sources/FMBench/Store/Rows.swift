package import FMCore

/// What is stored of a model file.
package struct ModelRow: Sendable, Hashable {
  package var sha256: String
  package var name: String
  package var architecture: String?
  package var quantization: String?
  package var parameters: Int?
  package var bytes: Int?
  package var trainedContext: Int?

  package init(
    sha256: String, name: String, architecture: String? = nil, quantization: String? = nil,
    parameters: Int? = nil, bytes: Int? = nil, trainedContext: Int? = nil
  ) {
    self.sha256 = sha256
    self.name = name
    self.architecture = architecture
    self.quantization = quantization
    self.parameters = parameters
    self.bytes = bytes
    self.trainedContext = trainedContext
  }
}

/// What is stored of a run when it starts.
package struct RunRow: Sendable, Hashable {
  package var uuid: String
  package var build: BuildIdentity
  package var label: String?
  package var arguments: [String]
  package var seed: UInt64
  package var gapScale: Double
  package var suite: String
  package var suiteSHA: String
  package var profile: String
  package var modelSHA: String
  package var context: Int
  package var loadNanoseconds: UInt64?
  package var loadMemoryBytes: Int?
  /// Shared by runs whose trials were played in turn; nil for a run of its own.
  package var interleaving: String?
  /// `A`, `B`: which of the interleaving's runs it is.
  package var arm: String?
  /// What a test of the program did to the run; nil for every other run.
  package var injected: String?
  package var style = PlayStyle()
  /// The server's address; nil for an engine of this process.
  package var endpoint: String?
  /// Nil where the machine tells nothing of energy.
  package var energy: EnergyBaseline?

  package init(
    uuid: String, build: BuildIdentity, label: String?, arguments: [String], seed: UInt64,
    gapScale: Double, suite: String, suiteSHA: String, profile: String, modelSHA: String,
    context: Int, loadNanoseconds: UInt64?, loadMemoryBytes: Int?, interleaving: String? = nil,
    arm: String? = nil, injected: String? = nil, style: PlayStyle = PlayStyle(),
    endpoint: String? = nil
  ) {
    self.style = style
    self.endpoint = endpoint
    self.interleaving = interleaving
    self.arm = arm
    self.injected = injected
    self.uuid = uuid
    self.build = build
    self.label = label
    self.arguments = arguments
    self.seed = seed
    self.gapScale = gapScale
    self.suite = suite
    self.suiteSHA = suiteSHA
    self.profile = profile
    self.modelSHA = modelSHA
    self.context = context
    self.loadNanoseconds = loadNanoseconds
    self.loadMemoryBytes = loadMemoryBytes
  }
}

/// How a run ended.
package enum RunStatus: String, Sendable, Hashable {
  case running, finished, interrupted, failed
}

/// What varies between the cells of a run.
package struct CellRow: Sendable, Hashable {
  package var scenario: String
  package var variant: String
  package var state: CacheState
  /// Of the scenario's file and texts; nil when it was recorded without.
  package var scenarioSHA: String?
  package var device: String
  package var deviceName: String
  /// A `DeviceDescription.Kind`.
  package var deviceKind: String
  package var threads: Int?
  package var maximumRows: Int?
  package var kvType: String?
  package var masks: String
  /// The variant's bindings, as a JSON object with sorted keys.
  package var parameters: String
  package var plannedTrials: Int
  /// Whether the suite declares it for the family that verdicts are about; nil: not declared.
  package var isPrimary: Bool?

  package init(
    scenario: String, variant: String, state: CacheState, scenarioSHA: String?, device: String,
    deviceName: String, deviceKind: String, threads: Int?, maximumRows: Int?, kvType: String?,
    masks: String, parameters: String, plannedTrials: Int, isPrimary: Bool? = nil
  ) {
    self.isPrimary = isPrimary
    self.scenario = scenario
    self.variant = variant
    self.state = state
    self.scenarioSHA = scenarioSHA
    self.device = device
    self.deviceName = deviceName
    self.deviceKind = deviceKind
    self.threads = threads
    self.maximumRows = maximumRows
    self.kvType = kvType
    self.masks = masks
    self.parameters = parameters
    self.plannedTrials = plannedTrials
  }
}

/// What a request was for.
package enum RequestRole: String, Sendable, Hashable {
  /// A prefill of the prefix that nobody waits for.
  case prewarm
  /// The exchange before the measured ones that makes a session warm.
  case leadIn = "lead_in"
  case measured
}

/// One finished request, as stored.
package struct RequestRow: Sendable, Hashable {
  package var number: Int
  package var role: RequestRole
  package var turn: Int?
  package var step: Int?
  package var outputKind: String
  package var scheduled: MonotonicInstant
  package var submitted: MonotonicInstant
  package var prefillStart: MonotonicInstant?
  package var firstToken: MonotonicInstant?
  package var lastToken: MonotonicInstant?
  package var completed: MonotonicInstant
  package var promptTokens: Int
  package var cachedTokens: Int
  package var templateTokens: Int?
  package var outputTokens: Int
  package var expectedPrompt: Int?
  package var expectedOutput: Int?
  package var idealCached: Int?
  package var missReason: String?
  package var finish: String?
  package var error: String?
  package var samplingNanoseconds: UInt64?
  package var tokenStamps: [MonotonicInstant]
  /// First content a user can see.
  package var firstContent: MonotonicInstant?
  /// Whether ``cachedTokens`` is a count; a server that does not tell gives none.
  package var isCacheReported = true
  package var constraintNanoseconds: UInt64?
  /// Spent on making text of tokens.
  package var textNanoseconds: UInt64?
  /// Pieces the answer came in.
  package var streamPieces: Int?

  package init(
    number: Int, role: RequestRole, turn: Int? = nil, step: Int? = nil, outputKind: String,
    scheduled: MonotonicInstant, submitted: MonotonicInstant,
    prefillStart: MonotonicInstant? = nil, firstToken: MonotonicInstant? = nil,
    lastToken: MonotonicInstant? = nil, completed: MonotonicInstant, promptTokens: Int,
    cachedTokens: Int, templateTokens: Int? = nil, outputTokens: Int,
    expectedPrompt: Int? = nil, expectedOutput: Int? = nil, idealCached: Int? = nil,
    missReason: String? = nil, finish: String? = nil, error: String? = nil,
    samplingNanoseconds: UInt64? = nil, tokenStamps: [MonotonicInstant] = []
  ) {
    self.number = number
    self.role = role
    self.turn = turn
    self.step = step
    self.outputKind = outputKind
    self.scheduled = scheduled
    self.submitted = submitted
    self.prefillStart = prefillStart
    self.firstToken = firstToken
    self.lastToken = lastToken
    self.completed = completed
    self.promptTokens = promptTokens
    self.cachedTokens = cachedTokens
    self.templateTokens = templateTokens
    self.outputTokens = outputTokens
    self.expectedPrompt = expectedPrompt
    self.expectedOutput = expectedOutput
    self.idealCached = idealCached
    self.missReason = missReason
    self.finish = finish
    self.error = error
    self.samplingNanoseconds = samplingNanoseconds
    self.tokenStamps = tokenStamps
  }
}

/// One finished tool call, as stored.
package struct ToolCallRow: Sendable, Hashable {
  package var number: Int
  package var name: String
  package var argumentsHash: String?
  package var started: MonotonicInstant
  package var ended: MonotonicInstant
  package var injectedMilliseconds: Double
  package var outputTokens: Int
  package var repeatOf: Int?

  package init(
    number: Int, name: String, argumentsHash: String?, started: MonotonicInstant,
    ended: MonotonicInstant, injectedMilliseconds: Double, outputTokens: Int, repeatOf: Int? = nil
  ) {
    self.number = number
    self.name = name
    self.argumentsHash = argumentsHash
    self.started = started
    self.ended = ended
    self.injectedMilliseconds = injectedMilliseconds
    self.outputTokens = outputTokens
    self.repeatOf = repeatOf
  }
}

/// A reading taken beside the work; nil where the machine does not tell.
package struct ResourceSample: Sendable, Hashable {
  package var at: MonotonicInstant
  package var residentBytes: Int?
  package var peakResidentBytes: Int?
  package var temperatureCelsius: Double?
  package var frequencyMegahertz: Double?
  /// What the device holds for this process; nil where its driver does not tell.
  package var gpuMemoryBytes: Int?
  /// Of the trial, its preparation left out.
  package var energy = EnergyUse()
  /// Of the whole machine, since the trial began.
  package var swappedInPages: Int?
  package var throttleEvents: Int?

  package init(
    at: MonotonicInstant, residentBytes: Int? = nil, peakResidentBytes: Int? = nil,
    temperatureCelsius: Double? = nil, frequencyMegahertz: Double? = nil,
    swappedInPages: Int? = nil, throttleEvents: Int? = nil
  ) {
    self.swappedInPages = swappedInPages
    self.throttleEvents = throttleEvents
    self.at = at
    self.residentBytes = residentBytes
    self.peakResidentBytes = peakResidentBytes
    self.temperatureCelsius = temperatureCelsius
    self.frequencyMegahertz = frequencyMegahertz
  }
}
