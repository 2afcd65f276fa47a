// Head by head: norm of queries and keys, rotation, and the writing of keys and values to the cache.
//
// A workgroup does one head of one row: first the query heads, then the key heads, then the value
// heads. Queries are rotated where they are; keys and values go to the cache only.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 32;
layout(constant_id = 1) const uint HEAD_WIDTH = 64;
layout(constant_id = 2) const uint QUERY_HEADS = 1;
layout(constant_id = 3) const uint KV_HEADS = 1;
layout(constant_id = 4) const uint ROTATED = 64;   // 0: no rotation
layout(constant_id = 5) const uint HALVES = 0;     // Pairs (i, i + ROTATED / 2), not (2i, 2i + 1)
layout(constant_id = 6) const uint NORMS = 0;      // 1: queries, 2: keys
layout(constant_id = 7) const uint CACHE = 0;
#include "reduce.glsl"
#include "cache.glsl"

layout(push_constant) uniform Push {
  Floats query;        // [count, queryStride]
  Floats key;
  Floats value;
  Floats queryNorm;    // [HEAD_WIDTH]
  Floats keyNorm;
  Floats angles;       // [count, ROTATED]: cosines of the pairs, then sines
  Integers positions;  // [count]
  Integers sequences;  // [count]
  Integers starts;     // Start of the table of (sequence, group) in blocks
  Integers blocks;
  Words cachedKeys;
  Words cachedValues;
  uint queryStride;
  uint keyStride;
  uint valueStride;
  uint groups;         // Groups of the cache, and this layer's: group | groups << 16
  uint scales;
  float epsilon;
} push;

shared float head[HEAD_WIDTH];

void normalize(Floats weight) {
  float squares = 0.0;
  for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH; i += WIDTH) squares += head[i] * head[i];
  float factor = 1.0 / sqrt(workgroupSum(squares) / float(HEAD_WIDTH) + push.epsilon);
  for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH; i += WIDTH) {
    head[i] = head[i] * factor * weight.f[i];
  }
  barrier();
}

void rotate(uint row) {
  for (uint pair = gl_LocalInvocationID.x; pair < ROTATED / 2u; pair += WIDTH) {
    uint first = HALVES != 0u ? pair : 2u * pair;
    uint second = HALVES != 0u ? pair + ROTATED / 2u : first + 1u;
    float cosine = push.angles.f[row * ROTATED + pair];
    float sine = push.angles.f[row * ROTATED + ROTATED / 2u + pair];
    float x = head[first];
    float y = head[second];
    head[first] = x * cosine - y * sine;
    head[second] = x * sine + y * cosine;
  }
  barrier();
}

void storeHead(Words cache, uint row) {
  if (CACHE == 0u) {
    for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH / 2u; i += WIDTH) {
      cache.w[row * (HEAD_WIDTH / 2u) + i] = packHalf2x16(vec2(head[2u * i], head[2u * i + 1u]));
    }
    return;
  }
  // A thread does 32 elements, as one scale serves them.
  for (uint part = gl_LocalInvocationID.x; part < HEAD_WIDTH / 32u; part += WIDTH) {
    float largest = 0.0;
    [[unroll]] for (uint i = 0; i < 32u; i++) largest = max(largest, abs(head[part * 32u + i]));
    float inverse = largest > 0.0 ? 127.0 / largest : 0.0;
    [[unroll]] for (uint i = 0; i < 8u; i++) {
      uint base = part * 32u + i * 4u;
      ivec4 codes = ivec4(roundEven(
          vec4(head[base], head[base + 1u], head[base + 2u], head[base + 3u]) * inverse)) & 255;
      cache.w[row * (HEAD_WIDTH / 4u) + part * 8u + i] =
          uint(codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24);
    }
    // The scale is what f16 holds, as in Q8_0 blocks.
    float stored = unpackHalf2x16(packHalf2x16(vec2(largest / 127.0, 0.0))).x;
    cache.w[push.scales + row * (HEAD_WIDTH / 32u) + part] = floatBitsToUint(stored);
  }
}

void main() {
  uint row = gl_WorkGroupID.x;
  uint slot = gl_WorkGroupID.y;
  bool isQuery = slot < QUERY_HEADS;
  bool isKey = !isQuery && slot < QUERY_HEADS + KV_HEADS;
  uint kvHead = isQuery ? 0u : (isKey ? slot - QUERY_HEADS : slot - QUERY_HEADS - KV_HEADS);
  uint from = isQuery ? row * push.queryStride + slot * HEAD_WIDTH
      : row * (isKey ? push.keyStride : push.valueStride) + kvHead * HEAD_WIDTH;
  for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH; i += WIDTH) {
    head[i] = isQuery ? push.query.f[from + i] : isKey ? push.key.f[from + i] : push.value.f[from + i];
  }
  barrier();
  if (isQuery && (NORMS & 1u) != 0u) normalize(push.queryNorm);
  if (isKey && (NORMS & 2u) != 0u) normalize(push.keyNorm);
  if ((isQuery || isKey) && ROTATED > 0u) rotate(row);
  if (isQuery) {
    for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH; i += WIDTH) push.query.f[from + i] = head[i];
    return;
  }
  uint position = uint(push.positions.i[row]);
  uint table = uint(push.sequences.i[row]) * (push.groups >> 16) + (push.groups & 0xffffu);
  uint block = uint(push.blocks.i[uint(push.starts.i[table]) + position / BLOCK_TOKENS]);
  uint target = cacheRow(block, KV_HEADS, kvHead, position);
  if (isKey) storeHead(push.cachedKeys, target);
  else storeHead(push.cachedValues, target);
}
