// Activations as signed bytes with one scale for every 32, for products by integer dot.
//
// code = round(x · 127 / largest), half to even; scale = largest / 127.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 32;

layout(push_constant) uniform Push {
  Floats x;       // [count, xStride], rows of whole units
  Words codes;    // [count, units, 12 words]
  uint units;
  uint xStride;
} push;

void main() {
  uint unit = gl_WorkGroupID.x * WIDTH + gl_LocalInvocationID.x;
  if (unit >= push.units) return;
  uint row = gl_WorkGroupID.y;
  Floats4 x = Floats4(push.x);
  uint from = row * (push.xStride >> 2) + unit * 8u;
  vec4 values[8];
  float largest = 0.0;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    values[i] = x.f[from + i];
    vec4 sizes = abs(values[i]);
    largest = max(largest, max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)));
  }
  float inverse = largest > 0.0 ? 127.0 / largest : 0.0;
  uint to = (row * push.units + unit) * 12u;
  ivec2 sums = ivec2(0);
  [[unroll]] for (uint i = 0; i < 8; i++) {
    ivec4 codes = ivec4(roundEven(values[i] * inverse));
    sums[i >> 2] += codes.x + codes.y + codes.z + codes.w;
    codes &= 255;
    push.codes.w[to + i] = uint(codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24);
  }
  push.codes.w[to + 8u] = floatBitsToUint(largest / 127.0);
  push.codes.w[to + 9u] = uint(sums.x);
  push.codes.w[to + 10u] = uint(sums.y);
}
