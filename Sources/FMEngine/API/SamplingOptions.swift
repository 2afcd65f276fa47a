/// How the next token is chosen from the logits.
///
/// The order is fixed and documented in `Documentation/ENGINE.md`: penalties, bias and mask, top-k,
/// top-p, min-p, temperature, draw. Each filter works on what the one before it left,
/// renormalized. Temperature comes last, so it never changes which tokens can be drawn.
package struct SamplingOptions: Sendable, Hashable {
  /// Divides the logits before the draw, 0 or more; 0 takes the best token (ties: the lowest id).
  package var temperature: Float
  /// Keeps the `topK` best tokens; nil keeps all; 1 or more.
  package var topK: Int?
  /// Keeps the fewest best tokens whose probabilities reach `topP`; nil keeps all; in (0, 1].
  package var topP: Float?
  /// Keeps tokens at least `minP` times as probable as the best one; nil keeps all; in [0, 1].
  package var minP: Float?
  /// Divides positive and multiplies negative logits of recent tokens; 1 is off; above 0.
  package var repetitionPenalty: Float
  /// Subtracted once from the logit of every recent token; 0 is off.
  package var presencePenalty: Float
  /// Subtracted from a recent token's logit for each time it occurs; 0 is off.
  package var frequencyPenalty: Float
  /// How many of the last tokens, prompt included, the penalties look at, 0 or more.
  package var penaltyWindow: Int
  /// The draw is a function of this and the token's position, of nothing else.
  package var seed: UInt64

  package init(
    temperature: Float = 1, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
    repetitionPenalty: Float = 1, presencePenalty: Float = 0, frequencyPenalty: Float = 0,
    penaltyWindow: Int = 64, seed: UInt64 = 0
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.repetitionPenalty = repetitionPenalty
    self.presencePenalty = presencePenalty
    self.frequencyPenalty = frequencyPenalty
    self.penaltyWindow = penaltyWindow
    self.seed = seed
  }

  /// The best token every time, no penalties.
  package static let greedy = SamplingOptions(temperature: 0)

  /// Whether any penalty changes logits.
  package var hasPenalties: Bool {
    penaltyWindow > 0
      && (repetitionPenalty != 1 || presencePenalty != 0 || frequencyPenalty != 0)
  }

  /// Why the options make no sense, or nil.
  package var problem: String? {
    if !(temperature >= 0 && temperature.isFinite) {
      return "temperature is \(temperature), must be 0 or more"
    }
    if let topK, topK < 1 { return "topK is \(topK), must be 1 or more" }
    if let topP, !(topP > 0 && topP <= 1) { return "topP is \(topP), must be in (0, 1]" }
    if let minP, !(minP >= 0 && minP <= 1) { return "minP is \(minP), must be in [0, 1]" }
    if !(repetitionPenalty > 0 && repetitionPenalty.isFinite) {
      return "repetitionPenalty is \(repetitionPenalty), must be above 0"
    }
    if !presencePenalty.isFinite || !frequencyPenalty.isFinite {
      return "presencePenalty and frequencyPenalty must be finite"
    }
    if penaltyWindow < 0 { return "penaltyWindow is \(penaltyWindow), must be 0 or more" }
    return nil
  }
}
