// Merges the chunks of one head of one row, in the order of their positions.
//
// `query` holds the partial results of attention_chunk: [count][heads][chunks][HEAD_WIDTH + 2], each
// the largest score, the sum of weights, and the weighted sum of values.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
layout(constant_id = 1) const uint HEAD_WIDTH = 64;
#include "attention.glsl"

void main() {
  uint row = gl_WorkGroupID.x;
  uint head = gl_WorkGroupID.y;
  uint position = uint(push.positions.i[row]);
  uint used = position / 128u - firstVisible(position) / 128u + 1u;
  uint heads = push.kvHeads * push.groupHeads;
  uint base = (row * heads + head) * push.chunks * (HEAD_WIDTH + 2u);
  float most = unseen;
  for (uint c = 0; c < used; c++) most = max(most, push.query.f[base + c * (HEAD_WIDTH + 2u)]);
  for (uint i = gl_LocalInvocationID.x; i < HEAD_WIDTH; i += WIDTH) {
    float sum = 0.0;
    float total = 0.0;
    for (uint c = 0; c < used; c++) {
      uint at = base + c * (HEAD_WIDTH + 2u);
      float weight = exp(push.query.f[at] - most);
      total += weight * push.query.f[at + 1u];
      sum += weight * push.query.f[at + 2u + i];
    }
    push.result.f[row * push.resultStride + head * HEAD_WIDTH + i] = sum / total;
  }
}
