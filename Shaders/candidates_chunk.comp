// The best candidates among 2,048 tokens after mask and bias, with the sum of their exponentials.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
#include "reduce.glsl"
#include "best.glsl"
#include "candidates.glsl"

// f32 bits; ABSENT, a NaN no arithmetic gives, for what is masked or taken.
shared uint values[CHUNK_TOKENS];
shared uint flags;
#define ABSENT 0xffffffffu

void load(uint base, uint mask, uint request) {
  for (uint i = gl_LocalInvocationID.x; i < CHUNK_TOKENS; i += WIDTH) {
    uint token = base + i;
    bool allowed = token < push.vocabulary;
    if (allowed && mask != NO_TOKEN) {
      allowed = (push.masks.w[mask + token / 32u] >> (token & 31u) & 1u) != 0u;
    }
    values[i] = allowed ? floatBitsToUint(push.logits.f[request * push.stride + token]) : ABSENT;
  }
}

// A thread adds the biases of the tokens it loaded, in order.
void addBiases(uint base, uint start, uint count) {
  for (uint b = start; b < start + count; b++) {
    uint i = push.biases.w[2u * b] - base;
    if (i >= CHUNK_TOKENS || i % WIDTH != gl_LocalInvocationID.x || values[i] == ABSENT) continue;
    values[i] = floatBitsToUint(uintBitsToFloat(values[i]) + uintBitsToFloat(push.biases.w[2u * b + 1u]));
  }
}

// The best of a thread's own tokens.
void threadBest(uint base, out float logit, out uint token) {
  logit = LOWEST;
  token = NO_TOKEN;
  for (uint i = gl_LocalInvocationID.x; i < CHUNK_TOKENS; i += WIDTH) {
    uint bits = values[i];
    bool comparable = (bits & 0x7fffffffu) <= 0x7f800000u;
    if (comparable && isBetter(uintBitsToFloat(bits), base + i, logit, token)) {
      logit = uintBitsToFloat(bits);
      token = base + i;
    }
  }
}

void main() {
  uint request = gl_WorkGroupID.y;
  uint base = gl_WorkGroupID.x * CHUNK_TOKENS;
  uint count = uint(push.requests.i[4u * request]);
  uint start = partialStart(request, gl_WorkGroupID.x);
  if (count == 0u) return;
  if (gl_LocalInvocationID.x == 0u) flags = 0u;
  load(base, uint(push.requests.i[4u * request + 1u]), request);
  addBiases(base, uint(push.requests.i[4u * request + 2u]), uint(push.requests.i[4u * request + 3u]));
  barrier();

  float logit;
  uint token;
  threadBest(base, logit, token);
  float most = logit;
  uint best = token;
  workgroupBest(most, best);
  float sum = 0.0;
  uint seen = 0u;
  for (uint i = gl_LocalInvocationID.x; i < CHUNK_TOKENS; i += WIDTH) {
    uint bits = values[i];
    if (bits == ABSENT) continue;
    if ((bits & 0x7fffffffu) > 0x7f800000u) seen |= SAW_NAN;
    else if (bits == 0x7f800000u) seen |= SAW_INFINITY;
    else if (bits != 0xff800000u) sum += exp(uintBitsToFloat(bits) - most);
  }
  if (seen != 0u) atomicOr(flags, seen);
  sum = workgroupSum(sum);
  if (gl_LocalInvocationID.x == 0u) {
    push.partial.w[start] = floatBitsToUint(most);
    push.partial.w[start + 1u] = floatBitsToUint(sum);
    push.partial.w[start + 2u] = flags;
  }
  for (uint k = 0; k < count; k++) {
    float value = logit;
    uint winner = token;
    workgroupBest(value, winner);
    if (gl_LocalInvocationID.x == 0u) {
      push.partial.w[start + 3u + 2u * k] = winner;
      push.partial.w[start + 4u + 2u * k] = floatBitsToUint(value);
    }
    if (winner == token && token != NO_TOKEN) {
      values[token - base] = ABSENT;
      threadBest(base, logit, token);
    }
  }
}
