// The best candidate of a workgroup: the highest logit, of equal ones the lowest token.

#extension GL_KHR_shader_subgroup_arithmetic : require

#define NO_TOKEN 0xffffffffu

shared float bestLogits[(WIDTH + 3u) / 4u];
shared uint bestTokens[(WIDTH + 3u) / 4u];
#define LOWEST uintBitsToFloat(0xff800000u)

bool isBetter(float logit, uint token, float thanLogit, uint thanToken) {
  if (token == NO_TOKEN) return false;
  return thanToken == NO_TOKEN || logit > thanLogit || (logit == thanLogit && token < thanToken);
}

// Every thread brings its own best, or NO_TOKEN; all get the best of all.
void workgroupBest(inout float logit, inout uint token) {
  float most = subgroupMax(token == NO_TOKEN ? LOWEST : logit);
  uint first = subgroupMin(token != NO_TOKEN && logit == most ? token : NO_TOKEN);
  barrier();
  if (subgroupElect()) {
    bestLogits[gl_SubgroupID] = most;
    bestTokens[gl_SubgroupID] = first;
  }
  barrier();
  logit = LOWEST;
  token = NO_TOKEN;
  for (uint i = 0; i < gl_NumSubgroups; i++) {
    if (isBetter(bestLogits[i], bestTokens[i], logit, token)) {
      logit = bestLogits[i];
      token = bestTokens[i];
    }
  }
}
