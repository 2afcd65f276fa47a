// Many rows of activations times a quantized matrix, in tiles.
//
// A workgroup makes a tile of TILE_M outputs by TILE_N rows. For every unit of 32 columns it decodes
// the weights' part into shared memory beside the activations' part, and each thread adds the
// products of its THREAD_M by THREAD_N sums. Columns are taken in order: a row's result does not
// depend on the rows beside it. With INTEGER_DOT `x` holds what quantize_rows made.
#version 450
#ifdef HALF_TILES
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "memory.glsl"
#include "matmul.glsl"
#include "weights.glsl"
#ifdef INTEGER_DOT
#include "integer_dot.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;
layout(constant_id = 1) const uint TILE_M = 64;
layout(constant_id = 2) const uint TILE_N = 32;
layout(constant_id = 3) const uint THREAD_M = 8;
layout(constant_id = 4) const uint THREAD_N = 4;
layout(constant_id = 5) const uint EPILOGUE = 0;

// [8][TILE + 1] of four consecutive columns each; the one more keeps threads off each other's banks.
#ifdef INTEGER_DOT
shared uint weights[8 * (TILE_M + 1)];
shared uint inputs[8 * (TILE_N + 1)];
// Scales and minima of a row's unit; scale and sums of the activations'.
shared vec4 factors[TILE_M];
shared vec3 inputFactors[TILE_N];
#elif defined(HALF_TILES)
shared f16vec4 weights[8 * (TILE_M + 1)];
#else
shared vec4 weights[8 * (TILE_M + 1)];
#endif
#ifndef INTEGER_DOT
shared vec4 inputs[8 * (TILE_N + 1)];
#endif

#ifdef INTEGER_DOT
void loadTiles(Planes planes, uint unit, uint firstM, uint firstN) {
  for (uint row = gl_LocalInvocationID.x; row < TILE_M; row += WIDTH) {
    uint codes[8];
    vec2 scale;
    vec2 minimum;
    decodeCodes(planes, min(firstM + row, push.rows - 1u) * push.units + unit, codes, scale, minimum);
    [[unroll]] for (uint i = 0; i < 8; i++) weights[i * (TILE_M + 1u) + row] = codes[i];
    factors[row] = vec4(scale, minimum);
  }
  for (uint row = gl_LocalInvocationID.x; row < TILE_N; row += WIDTH) {
    Codes codes = loadCodes(Words4(push.x), min(firstN + row, push.count - 1u) * push.units + unit);
    [[unroll]] for (uint i = 0; i < 4; i++) {
      inputs[i * (TILE_N + 1u) + row] = codes.first[i];
      inputs[(i + 4u) * (TILE_N + 1u) + row] = codes.last[i];
    }
    inputFactors[row] = vec3(codes.scale, codes.sums);
  }
}
#else
void loadTiles(Planes planes, uint unit, uint firstM, uint firstN) {
  for (uint row = gl_LocalInvocationID.x; row < TILE_M; row += WIDTH) {
    vec4 w[8];
    decodeUnit(planes, min(firstM + row, push.rows - 1u) * push.units + unit, w);
#ifdef HALF_TILES
    [[unroll]] for (uint i = 0; i < 8; i++) weights[i * (TILE_M + 1u) + row] = f16vec4(w[i]);
#else
    [[unroll]] for (uint i = 0; i < 8; i++) weights[i * (TILE_M + 1u) + row] = w[i];
#endif
  }
  for (uint i = gl_LocalInvocationID.x; i < TILE_N * 8u; i += WIDTH) {
    uint row = i >> 3;
    uint source = min(firstN + row, push.count - 1u) * (push.xStride >> 2) + unit * 8u;
    inputs[(i & 7u) * (TILE_N + 1u) + row] = Floats4(push.x).f[source + (i & 7u)];
  }
}
#endif

void main() {
  uint tilesM = (push.rows + TILE_M - 1u) / TILE_M;
  uint tile = foldedGroup();
  uint firstM = (tile % tilesM) * TILE_M;
  uint firstN = (tile / tilesM) * TILE_N;
  if (firstN >= push.count) return;
  uint thread = gl_LocalInvocationID.x;
  // Threads next to each other work on rows of the weight next to each other.
  const uint acrossM = TILE_M / THREAD_M;
  const uint acrossN = TILE_N / THREAD_N;
  uint m = thread % acrossM;
  uint n = thread / acrossM;
  Planes planes = Planes(push.a, push.b, push.c);
  float sums[THREAD_M * THREAD_N];
  [[unroll]] for (uint i = 0; i < THREAD_M * THREAD_N; i++) sums[i] = 0.0;
  for (uint unit = 0; unit < push.units; unit++) {
    loadTiles(planes, unit, firstM, firstN);
    barrier();
#ifdef INTEGER_DOT
    [[unroll]] for (uint j = 0; j < THREAD_N; j++) {
      uint column = n + j * acrossN;
      vec3 input3 = inputFactors[column];
      [[unroll]] for (uint i = 0; i < THREAD_M; i++) {
        uint row = m + i * acrossM;
        ivec2 dots = ivec2(0);
        [[unroll]] for (uint k = 0; k < 8; k++) {
          dots[k >> 2] += dot4(weights[k * (TILE_M + 1u) + row], inputs[k * (TILE_N + 1u) + column]);
        }
        sums[i * THREAD_N + j] +=
            input3.x * dot(factors[row], vec4(vec2(dots), input3.yz));
      }
    }
#else
    [[unroll]] for (uint k = 0; k < 8; k++) {
      vec4 w[THREAD_M];
      [[unroll]] for (uint i = 0; i < THREAD_M; i++) {
        w[i] = vec4(weights[k * (TILE_M + 1u) + m + i * acrossM]);
      }
      [[unroll]] for (uint j = 0; j < THREAD_N; j++) {
        vec4 input4 = inputs[k * (TILE_N + 1u) + n + j * acrossN];
        [[unroll]] for (uint i = 0; i < THREAD_M; i++) {
          sums[i * THREAD_N + j] += dot(w[i], input4);
        }
      }
    }
#endif
    barrier();
  }
  [[unroll]] for (uint i = 0; i < THREAD_M; i++) {
    [[unroll]] for (uint j = 0; j < THREAD_N; j++) {
      uint row = firstM + m + i * acrossM;
      uint column = firstN + n + j * acrossN;
      if (row < push.rows && column < push.count) {
        store(EPILOGUE, column, row, sums[i * THREAD_N + j]);
      }
    }
  }
}
