// Few rows of activations times a quantized matrix.
//
// A workgroup makes ROWS consecutive outputs of COLUMNS activation rows. Its threads take units of
// 32 columns in turn, so that consecutive threads read consecutive blocks, and meet in a fixed tree
// at the end: a row's result does not depend on the rows beside it. With INTEGER_DOT `x` holds what
// quantize_rows made.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "memory.glsl"
#include "matmul.glsl"
#include "weights.glsl"
#ifdef INTEGER_DOT
#include "integer_dot.glsl"
#endif
#include "activation.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 32;
layout(constant_id = 1) const uint ROWS = 4;
layout(constant_id = 2) const uint COLUMNS = 1;
layout(constant_id = 3) const uint EPILOGUE = 0;
// 0: plain; 1, 2: rows m and rows + m are gate and up of a gated activation of kind GATE - 1.
layout(constant_id = 4) const uint GATE = 0;

const uint SUMS = GATE == 0u ? ROWS : 2u * ROWS;
// Subgroups have at least four lanes wherever subgroup arithmetic is offered.
const uint PARTS = SUMS * COLUMNS * ((WIDTH + 3u) / 4u);
shared float parts[PARTS];

void main() {
  uint first = foldedGroup() * ROWS;
  uint thread = gl_LocalInvocationID.x;
  if (first >= push.rows) return;
  Planes planes = Planes(push.a, push.b, push.c);
  Floats4 x = Floats4(push.x);

  float sums[SUMS * COLUMNS];
  [[unroll]] for (uint i = 0; i < SUMS * COLUMNS; i++) sums[i] = 0.0;
  for (uint unit = thread; unit < push.units; unit += WIDTH) {
#ifndef INTEGER_DOT
    vec4 only[8];
    if (COLUMNS == 1u) {
      [[unroll]] for (uint i = 0; i < 8; i++) only[i] = x.f[unit * 8u + i];
    }
#endif
    [[unroll]] for (uint r = 0; r < SUMS; r++) {
      uint row = min(first + (r < ROWS ? r : r - ROWS), push.rows - 1u);
      if (r >= ROWS) row += push.rows;
#ifdef INTEGER_DOT
      uint codes[8];
      vec2 scale;
      vec2 minimum;
      decodeCodes(planes, row * push.units + unit, codes, scale, minimum);
      [[unroll]] for (uint n = 0; n < COLUMNS; n++) {
        Codes input8 = loadCodes(Words4(push.x), min(n, push.count - 1u) * push.units + unit);
        sums[r * COLUMNS + n] += dotUnit(codes, scale, minimum, input8);
      }
#else
      vec4 w[8];
      decodeUnit(planes, row * push.units + unit, w);
      [[unroll]] for (uint n = 0; n < COLUMNS; n++) {
        float sum = 0.0;
        uint source = min(n, push.count - 1u) * (push.xStride >> 2) + unit * 8u;
        [[unroll]] for (uint i = 0; i < 8; i++) {
          sum += dot(w[i], COLUMNS == 1u ? only[i] : x.f[source + i]);
        }
        sums[r * COLUMNS + n] += sum;
      }
#endif
    }
  }

  [[unroll]] for (uint i = 0; i < SUMS * COLUMNS; i++) {
    float sum = subgroupAdd(sums[i]);
    if (gl_SubgroupInvocationID == 0u) parts[gl_SubgroupID * (SUMS * COLUMNS) + i] = sum;
  }
  barrier();
  for (uint i = thread; i < ROWS * COLUMNS; i += WIDTH) {
    uint m = first + i / COLUMNS;
    uint n = i % COLUMNS;
    if (m >= push.rows || n >= push.count) continue;
    float sum = 0.0;
    for (uint part = 0; part < gl_NumSubgroups; part++) sum += parts[part * (SUMS * COLUMNS) + i];
    if (GATE != 0u) {
      float up = 0.0;
      for (uint part = 0; part < gl_NumSubgroups; part++) {
        up += parts[part * (SUMS * COLUMNS) + ROWS * COLUMNS + i];
      }
      sum = activate(GATE - 1u, sum) * up;
    }
    store(EPILOGUE, n, m, sum);
  }
}
