import FMCore
import Glibc

/// Natural-log probability of `token` under a softmax of all `logits`, summed in double precision.
///
/// Not finite when the logits are not.
func logProbability(of token: TokenID, in logits: ArraySlice<Float>) -> Double {
  var best = -Float.infinity
  for logit in logits where logit > best { best = logit }
  var sum = 0.0
  for logit in logits { sum += exp(Double(logit) - Double(best)) }
  return Double(logits[logits.startIndex + Int(token)]) - Double(best) - log(sum)
}
