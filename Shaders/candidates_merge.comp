// The best candidates of all chunks of an output, and the log-sum-exp of all it may choose from.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
#include "best.glsl"
#include "candidates.glsl"

// How many of a chunk's candidates are taken; a thread looks after every WIDTH-th chunk.
shared uint taken[1024];

float logSumExp(uint request) {
  float most = LOWEST;
  uint seen = 0u;
  for (uint c = 0; c < push.chunks; c++) {
    uint start = partialStart(request, c);
    most = max(most, uintBitsToFloat(push.partial.w[start]));
    seen |= push.partial.w[start + 2u];
  }
  if ((seen & SAW_NAN) != 0u) return uintBitsToFloat(0x7fc00000u);
  if ((seen & SAW_INFINITY) != 0u) return uintBitsToFloat(0x7f800000u);
  if (floatBitsToUint(most) == 0xff800000u) return LOWEST;
  float sum = 0.0;
  for (uint c = 0; c < push.chunks; c++) {
    uint start = partialStart(request, c);
    float part = uintBitsToFloat(push.partial.w[start + 1u]);
    if (part > 0.0) sum += part * exp(uintBitsToFloat(push.partial.w[start]) - most);
  }
  return most + log(sum);
}

void threadBest(uint request, uint count, out float logit, out uint token, out uint chunk) {
  logit = LOWEST;
  token = NO_TOKEN;
  chunk = 0u;
  for (uint c = gl_LocalInvocationID.x; c < push.chunks; c += WIDTH) {
    if (taken[c] >= count) continue;
    uint at = partialStart(request, c) + 3u + 2u * taken[c];
    uint candidate = push.partial.w[at];
    float value = uintBitsToFloat(push.partial.w[at + 1u]);
    if (isBetter(value, candidate, logit, token)) {
      logit = value;
      token = candidate;
      chunk = c;
    }
  }
}

void main() {
  uint request = gl_WorkGroupID.x;
  uint count = uint(push.requests.i[4u * request]);
  uint start = request * (2u + 2u * push.capacity);
  if (count == 0u) return;
  for (uint c = gl_LocalInvocationID.x; c < push.chunks; c += WIDTH) taken[c] = 0u;
  float logit;
  uint token;
  uint chunk;
  threadBest(request, count, logit, token, chunk);
  uint found = 0u;
  for (uint k = 0; k < count; k++) {
    float value = logit;
    uint winner = token;
    workgroupBest(value, winner);
    if (winner == NO_TOKEN) break;
    found++;
    if (gl_LocalInvocationID.x == 0u) {
      push.result.w[start + 2u + 2u * k] = winner;
      push.result.w[start + 3u + 2u * k] = floatBitsToUint(value);
    }
    if (winner == token) {
      taken[chunk]++;
      threadBest(request, count, logit, token, chunk);
    }
  }
  if (gl_LocalInvocationID.x == 0u) {
    push.result.w[start] = found;
    push.result.w[start + 1u] = floatBitsToUint(logSumExp(request));
  }
}
