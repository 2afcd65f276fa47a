// Root-mean-square norm of each group of a row: y = x / sqrt(mean(x²) + epsilon) * weight.
//
// With ADD the normed row is added to `residual` and the sum stored. With GATHER rows are taken
// where `source` says: the rows of a step that asked for an output.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
layout(constant_id = 1) const uint ADD = 0;
layout(constant_id = 2) const uint GATHER = 0;
#include "reduce.glsl"

layout(push_constant) uniform Push {
  Floats x;
  Floats weight;     // [groupWidth]
  Floats y;
  Floats residual;
  Integers source;   // [count]
  uint groupWidth;
  uint xStride;
  uint yStride;
  uint residualStride;
  float epsilon;
} push;

void main() {
  uint row = gl_WorkGroupID.y;
  uint base = gl_WorkGroupID.x * push.groupWidth;
  uint from = (GATHER != 0u ? uint(push.source.i[row]) : row) * push.xStride + base;
  float squares = 0.0;
  for (uint i = gl_LocalInvocationID.x; i < push.groupWidth; i += WIDTH) {
    float value = push.x.f[from + i];
    squares += value * value;
  }
  float mean = workgroupSum(squares) / float(push.groupWidth);
  float factor = 1.0 / sqrt(mean + push.epsilon);
  uint to = row * push.yStride + base;
  for (uint i = gl_LocalInvocationID.x; i < push.groupWidth; i += WIDTH) {
    float value = push.x.f[from + i] * factor * push.weight.f[i];
    if (ADD != 0u) value += push.residual.f[row * push.residualStride + base + i];
    push.y.f[to + i] = value;
  }
}
