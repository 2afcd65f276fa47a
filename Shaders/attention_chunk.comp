// Attention of one row over one chunk of 128 positions, for the query heads of a KV head together.
//
// Chunks begin at absolute multiples of 128 and are merged in order, so a row's result does not
// depend on how many chunks other rows have. A key or value is read once for all GROUP heads.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
layout(constant_id = 1) const uint HEAD_WIDTH = 64;
layout(constant_id = 2) const uint GROUP = 1;
layout(constant_id = 3) const uint CACHE = 0;
layout(constant_id = 4) const uint SINGLE = 0;   // One chunk is all: store the result itself
#include "cache.glsl"
#include "attention.glsl"

#define CHUNK 128u
const uint PAIRS = HEAD_WIDTH / 2u;
// Where a head has fewer pairs than there are threads, several threads share one pair's tokens.
const uint PARTS = WIDTH >= 4u * PAIRS ? 4u : (WIDTH >= 2u * PAIRS ? 2u : 1u);

shared float query[GROUP * HEAD_WIDTH];
shared float scores[GROUP * CHUNK];
shared float largest[GROUP];
shared float total[GROUP];
shared vec2 mixed[PARTS * GROUP * PAIRS];

void main() {
  uint row = gl_WorkGroupID.x;
  uint thread = gl_LocalInvocationID.x;
  uint firstHead = gl_WorkGroupID.y * GROUP;
  uint kvHead = firstHead / push.groupHeads;
  uint position = uint(push.positions.i[row]);
  uint visible = firstVisible(position);
  uint start = (visible / CHUNK + gl_WorkGroupID.z) * CHUNK;
  if (start > position) return;
  uint table = tableStart(row);
  uint end = min(start + CHUNK, position + 1u);
  for (uint i = thread; i < GROUP * HEAD_WIDTH; i += WIDTH) {
    query[i] = push.query.f[row * push.queryStride + firstHead * HEAD_WIDTH + i] * push.scale;
  }
  barrier();

  for (uint j = thread; j < CHUNK; j += WIDTH) {
    uint token = start + j;
    float sums[GROUP];
    [[unroll]] for (uint g = 0; g < GROUP; g++) sums[g] = 0.0;
    bool seen = token >= visible && token < end;
    if (seen) {
      uint block = uint(push.blocks.i[table + token / BLOCK_TOKENS]);
      uint cached = cacheRow(block, push.kvHeads, kvHead, token);
      for (uint i = 0; i < HEAD_WIDTH / 4u; i++) {
        vec4 key = cachedQuad(push.keys, push.scales, cached, i);
        [[unroll]] for (uint g = 0; g < GROUP; g++) {
          uint at = g * HEAD_WIDTH + 4u * i;
          sums[g] += dot(vec4(query[at], query[at + 1u], query[at + 2u], query[at + 3u]), key);
        }
      }
    }
    [[unroll]] for (uint g = 0; g < GROUP; g++) {
      scores[g * CHUNK + j] = seen ? capped(sums[g]) : unseen;
    }
  }
  barrier();

  for (uint g = gl_SubgroupID; g < GROUP; g += gl_NumSubgroups) {
    float most = unseen;
    for (uint j = gl_SubgroupInvocationID; j < CHUNK; j += gl_SubgroupSize) {
      most = max(most, scores[g * CHUNK + j]);
    }
    most = subgroupMax(most);
    float sum = 0.0;
    for (uint j = gl_SubgroupInvocationID; j < CHUNK; j += gl_SubgroupSize) {
      float weight = scores[g * CHUNK + j] == unseen ? 0.0 : exp(scores[g * CHUNK + j] - most);
      scores[g * CHUNK + j] = weight;
      sum += weight;
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
      largest[g] = most;
      total[g] = sum;
    }
  }
  barrier();

  uint part = PARTS == 1u ? 0u : thread / PAIRS;
  if (part < PARTS) {
    for (uint pair = PARTS == 1u ? thread : thread % PAIRS; pair < PAIRS;
        pair += PARTS == 1u ? WIDTH : PAIRS) {
      vec2 sums[GROUP];
      [[unroll]] for (uint g = 0; g < GROUP; g++) sums[g] = vec2(0.0);
      uint from = max(visible, start + part * (CHUNK / PARTS));
      uint to = min(end, start + (part + 1u) * (CHUNK / PARTS));
      for (uint token = from; token < to; token++) {
        uint block = uint(push.blocks.i[table + token / BLOCK_TOKENS]);
        uint cached = cacheRow(block, push.kvHeads, kvHead, token);
        vec2 value = cachedPair(push.values, push.scales, cached, pair);
        [[unroll]] for (uint g = 0; g < GROUP; g++) {
          sums[g] += scores[g * CHUNK + token - start] * value;
        }
      }
      [[unroll]] for (uint g = 0; g < GROUP; g++) mixed[(part * GROUP + g) * PAIRS + pair] = sums[g];
    }
  }
  barrier();
  for (uint i = thread; i < GROUP * PAIRS; i += WIDTH) {
    vec2 sum = mixed[i];
    [[unroll]] for (uint p = 1; p < PARTS; p++) sum += mixed[p * GROUP * PAIRS + i];
    uint g = i / PAIRS;
    if (SINGLE != 0u) {
      uint to = row * push.resultStride + firstHead * HEAD_WIDTH + 2u * i;
      push.result.f[to] = sum.x / total[g];
      push.result.f[to + 1u] = sum.y / total[g];
      continue;
    }
    uint heads = push.kvHeads * push.groupHeads;
    uint base = ((row * heads + firstHead + g) * push.chunks + gl_WorkGroupID.z) * (HEAD_WIDTH + 2u);
    push.result.f[base + 2u + 2u * (i % PAIRS)] = sum.x;
    push.result.f[base + 3u + 2u * (i % PAIRS)] = sum.y;
    if (i % PAIRS == 0u) {
      push.result.f[base] = largest[g];
      push.result.f[base + 1u] = total[g];
    }
  }
}
