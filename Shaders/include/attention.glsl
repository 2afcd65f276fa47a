// What attention kernels are given.

#include "math.glsl"

layout(push_constant) uniform Push {
  Floats query;        // [count, queryStride]
  Words keys;
  Words values;
  Floats result;       // [count, resultStride]; partial results where there are several chunks
  Integers positions;  // [count]
  Integers sequences;  // [count]
  Integers starts;     // Start of the table of (sequence, group) in blocks
  Integers blocks;
  Integers tiles;      // First row and rows of each tile
  uint queryStride;
  uint resultStride;
  uint groups;         // Groups of the cache, and this layer's: group | groups << 16
  uint scales;
  uint kvHeads;
  uint groupHeads;     // Query heads of a KV head
  uint window;         // 0: the whole context
  uint chunks;         // Partial results of a head
  float scale;
  float softCap;       // 0: none
} push;

uint tableStart(uint row) {
  uint sequence = uint(push.sequences.i[row]);
  return uint(push.starts.i[sequence * (push.groups >> 16) + (push.groups & 0xffffu)]);
}

// The first position a row sees.
uint firstVisible(uint position) {
  return push.window == 0u || position < push.window ? 0u : position - push.window + 1u;
}

float capped(float score) {
  if (push.softCap == 0.0) return score;
  return push.softCap * safeTanh(score / push.softCap);
}

const float unseen = -3.0e38;
