// Rows of the embedding table for the tokens of a step: y[r] = scale * table[token(r)].
#version 450
#include "memory.glsl"
#include "weights.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 32;

layout(push_constant) uniform Push {
  Words a;
  Words b;
  Words c;
  Floats y;          // [count, yStride], rows of whole units
  Integers tokens;   // [count]
  uint units;
  uint yStride;
  float scale;
} push;

void main() {
  uint unit = gl_WorkGroupID.x * WIDTH + gl_LocalInvocationID.x;
  if (unit >= push.units) return;
  uint row = gl_WorkGroupID.y;
  vec4 w[8];
  decodeUnit(Planes(push.a, push.b, push.c), uint(push.tokens.i[row]) * push.units + unit, w);
  [[unroll]] for (uint i = 0; i < 8; i++) {
    [[unroll]] for (uint j = 0; j < 4; j++) {
      push.y.f[row * push.yStride + unit * 32u + i * 4u + j] = push.scale * w[i][j];
    }
  }
}
