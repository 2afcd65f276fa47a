// Ops on every element of a row: OPERATION 0 x + y, 1 activation(x) * y, 2 soft cap of x, 3 the row
// of x that `source` names, 4 x.
#version 450
#include "memory.glsl"
#include "activation.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
layout(constant_id = 1) const uint OPERATION = 0;
layout(constant_id = 2) const uint ACTIVATION = 0;

layout(push_constant) uniform Push {
  Floats x;
  Floats y;
  Floats result;
  Integers source;   // [count]
  uint width;
  uint xStride;
  uint yStride;
  uint resultStride;
  float cap;
} push;

void main() {
  uint column = gl_WorkGroupID.x * WIDTH + gl_LocalInvocationID.x;
  if (column >= push.width) return;
  uint row = gl_WorkGroupID.y;
  uint from = OPERATION == 3u ? uint(push.source.i[row]) : row;
  float value = push.x.f[from * push.xStride + column];
  if (OPERATION == 0u) value += push.y.f[row * push.yStride + column];
  if (OPERATION == 1u) value = activate(ACTIVATION, value) * push.y.f[row * push.yStride + column];
  if (OPERATION == 2u) value = push.cap * safeTanh(value / push.cap);
  push.result.f[row * push.resultStride + column] = value;
}
