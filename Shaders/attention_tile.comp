// Attention of a tile of consecutive rows of one sequence, one query head, block after block.
//
// The softmax is kept up to date from block to block. Blocks that no row of the tile sees are
// never visited.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;        // A multiple of 32
layout(constant_id = 1) const uint HEAD_WIDTH = 64;
layout(constant_id = 2) const uint TILE_ROWS = 16;    // A multiple of WIDTH / 32
layout(constant_id = 3) const uint CACHE = 0;
// Threads that share a pair of a head's elements, each doing TILE_ROWS / SHARERS rows.
layout(constant_id = 4) const uint SHARERS = 2;
#include "cache.glsl"
#include "attention.glsl"

const uint PAIRS = HEAD_WIDTH / 2u;
const uint SCORE_ROWS = TILE_ROWS * 32u / WIDTH;
const uint MIX_ROWS = TILE_ROWS / SHARERS;
const uint MIX_PAIRS = (PAIRS * SHARERS + WIDTH - 1u) / WIDTH;

shared vec2 query[TILE_ROWS * PAIRS];
// Keys of a block, then its values, one word more a row against bank conflicts: packed f16, or
// bytes and the scales behind them.
shared uint cached[BLOCK_TOKENS * (PAIRS + 1u)];
shared float scores[TILE_ROWS * BLOCK_TOKENS];
shared float largest[TILE_ROWS];
shared float total[TILE_ROWS];
shared float shrink[TILE_ROWS];

// Elements 2 * pair and 2 * pair + 1 of a token of the block at hand.
vec2 loadedPair(uint token, uint pair) {
  uint row = token * (PAIRS + 1u);
  if (CACHE == 0u) return unpackHalf2x16(cached[row + pair]);
  int bits = int(cached[row + (pair >> 1)] >> ((pair & 1u) * 16u));
  float scale = uintBitsToFloat(cached[row + PAIRS / 2u + (pair >> 4)]);
  return scale * vec2(bitfieldExtract(bits, 0, 8), bitfieldExtract(bits, 8, 8));
}

void loadBlock(Words cache, uint firstRow) {
  if (CACHE != 0u) {
    for (uint i = gl_LocalInvocationID.x; i < BLOCK_TOKENS * (PAIRS / 2u); i += WIDTH) {
      uint token = i / (PAIRS / 2u);
      uint word = i % (PAIRS / 2u);
      cached[token * (PAIRS + 1u) + word] = cache.w[(firstRow + token) * (PAIRS / 2u) + word];
    }
    for (uint i = gl_LocalInvocationID.x; i < BLOCK_TOKENS * (PAIRS / 16u); i += WIDTH) {
      uint token = i / (PAIRS / 16u);
      uint word = i % (PAIRS / 16u);
      cached[token * (PAIRS + 1u) + PAIRS / 2u + word] =
          cache.w[push.scales + (firstRow + token) * (PAIRS / 16u) + word];
    }
    return;
  }
  for (uint i = gl_LocalInvocationID.x; i < BLOCK_TOKENS * PAIRS; i += WIDTH) {
    uint token = i / PAIRS;
    uint pair = i % PAIRS;
    cached[token * (PAIRS + 1u) + pair] = cache.w[(firstRow + token) * PAIRS + pair];
  }
}

void main() {
  uint thread = gl_LocalInvocationID.x;
  uint firstRow = uint(push.tiles.i[2u * gl_WorkGroupID.x]);
  uint rows = uint(push.tiles.i[2u * gl_WorkGroupID.x + 1u]);
  if (rows == 0u) return;
  uint head = gl_WorkGroupID.y;
  uint kvHead = head / push.groupHeads;
  uint firstPosition = uint(push.positions.i[firstRow]);
  uint lastPosition = firstPosition + rows - 1u;
  uint table = tableStart(firstRow);

  for (uint i = thread; i < TILE_ROWS * PAIRS; i += WIDTH) {
    uint row = min(i / PAIRS, rows - 1u);
    uint at = (firstRow + row) * push.queryStride + head * HEAD_WIDTH + 2u * (i % PAIRS);
    query[i] = vec2(push.query.f[at], push.query.f[at + 1u]) * push.scale;
  }
  for (uint i = thread; i < TILE_ROWS; i += WIDTH) {
    largest[i] = unseen;
    total[i] = 0.0;
  }
  vec2 mixed[MIX_PAIRS * MIX_ROWS];
  [[unroll]] for (uint i = 0; i < MIX_PAIRS * MIX_ROWS; i++) mixed[i] = vec2(0.0);

  for (uint block = firstVisible(firstPosition) / BLOCK_TOKENS; block <= lastPosition / BLOCK_TOKENS; block++) {
    uint stored = uint(push.blocks.i[table + block]);
    uint cacheFirst = (stored * push.kvHeads + kvHead) * BLOCK_TOKENS;
    barrier();
    loadBlock(push.keys, cacheFirst);
    barrier();
    uint token = thread % BLOCK_TOKENS;
    uint firstScore = thread / BLOCK_TOKENS * SCORE_ROWS;
    float sums[SCORE_ROWS];
    [[unroll]] for (uint r = 0; r < SCORE_ROWS; r++) sums[r] = 0.0;
    for (uint i = 0; i < PAIRS; i++) {
      vec2 key = loadedPair(token, i);
      [[unroll]] for (uint r = 0; r < SCORE_ROWS; r++) {
        sums[r] += dot(query[(firstScore + r) * PAIRS + i], key);
      }
    }
    uint seenPosition = block * BLOCK_TOKENS + token;
    [[unroll]] for (uint r = 0; r < SCORE_ROWS; r++) {
      uint position = firstPosition + firstScore + r;
      bool seen = seenPosition <= position && seenPosition >= firstVisible(position);
      scores[(firstScore + r) * BLOCK_TOKENS + token] = seen ? capped(sums[r]) : unseen;
    }
    barrier();
    loadBlock(push.values, cacheFirst);
    for (uint r = gl_SubgroupID; r < TILE_ROWS; r += gl_NumSubgroups) {
      float most = largest[r];
      for (uint j = gl_SubgroupInvocationID; j < BLOCK_TOKENS; j += gl_SubgroupSize) {
        most = max(most, scores[r * BLOCK_TOKENS + j]);
      }
      most = subgroupMax(most);
      float sum = 0.0;
      for (uint j = gl_SubgroupInvocationID; j < BLOCK_TOKENS; j += gl_SubgroupSize) {
        float score = scores[r * BLOCK_TOKENS + j];
        float weight = score == unseen ? 0.0 : exp(score - most);
        scores[r * BLOCK_TOKENS + j] = weight;
        sum += weight;
      }
      sum = subgroupAdd(sum);
      if (subgroupElect()) {
        float factor = exp(largest[r] - most);
        shrink[r] = factor;
        total[r] = total[r] * factor + sum;
        largest[r] = most;
      }
    }
    barrier();
    uint sharer = SHARERS == 1u ? 0u : thread / PAIRS;
    [[unroll]] for (uint p = 0; p < MIX_PAIRS; p++) {
      uint pair = SHARERS == 1u ? thread + p * WIDTH : thread % PAIRS;
      if (sharer < SHARERS && pair < PAIRS) {
        [[unroll]] for (uint r = 0; r < MIX_ROWS; r++) {
          mixed[p * MIX_ROWS + r] *= shrink[sharer * MIX_ROWS + r];
        }
        for (uint j = 0; j < BLOCK_TOKENS; j++) {
          vec2 value = loadedPair(j, pair);
          [[unroll]] for (uint r = 0; r < MIX_ROWS; r++) {
            float weight = scores[(sharer * MIX_ROWS + r) * BLOCK_TOKENS + j];
            // What is not seen may be anything, also NaN: a block's tail may never have been written.
            mixed[p * MIX_ROWS + r] += weight == 0.0 ? vec2(0.0) : weight * value;
          }
        }
      }
    }
  }
  uint sharer = SHARERS == 1u ? 0u : thread / PAIRS;
  [[unroll]] for (uint p = 0; p < MIX_PAIRS; p++) {
    uint pair = SHARERS == 1u ? thread + p * WIDTH : thread % PAIRS;
    if (sharer < SHARERS && pair < PAIRS) {
      [[unroll]] for (uint r = 0; r < MIX_ROWS; r++) {
        uint row = sharer * MIX_ROWS + r;
        if (row < rows) {
          vec2 result = mixed[p * MIX_ROWS + r] / total[row];
          uint to = (firstRow + row) * push.resultStride + head * HEAD_WIDTH + 2u * pair;
          push.result.f[to] = result.x;
          push.result.f[to + 1u] = result.y;
        }
      }
    }
  }
}
