// Weights of one type, decoded a unit of 32 consecutive columns at a time.
//
// A row is `units` units; rows of plain floats are padded with zeros to whole units when they are
// loaded. Units are counted through all rows of the matrix. A type's blocks lie in up to three
// planes: see WeightLayout.swift.
//
// `decodeUnit(planes, unit, v)`: v[i] holds columns 4i … 4i+3.
// `decodeCodes(planes, unit, codes, scale, minimum)`, quantized types: codes[i] holds the codes of
// columns 4i … 4i+3 as bytes; a weight is scale · code + minimum, x for the unit's first 16
// columns, y for the last. Codes are signed bytes; all but Q8_0's and the tables' are below 64.

struct Planes { Words a; Words b; Words c; };

// The low nibbles of the four bytes of a word, and the high ones.
uint lowNibbles(uint word) { return word & 0x0f0f0f0fu; }
uint highNibbles(uint word) { return (word >> 4) & 0x0f0f0f0fu; }

#define TYPE_F32 0
#define TYPE_F16 1
#define TYPE_BF16 2
#define TYPE_Q4_0 3
#define TYPE_Q4_1 4
#define TYPE_Q5_0 5
#define TYPE_Q5_1 6
#define TYPE_Q8_0 7
#define TYPE_Q2_K 8
#define TYPE_Q3_K 9
#define TYPE_Q4_K 10
#define TYPE_Q5_K 11
#define TYPE_Q6_K 12
#define TYPE_IQ4_NL 13
#define TYPE_IQ4_XS 14
#define TYPE_MXFP4 15

#if WEIGHT == TYPE_F32 || WEIGHT == TYPE_F16 || WEIGHT == TYPE_BF16
#include "weights_floats.glsl"
#elif WEIGHT == TYPE_Q4_0 || WEIGHT == TYPE_Q4_1 || WEIGHT == TYPE_Q5_0 || WEIGHT == TYPE_Q5_1 || WEIGHT == TYPE_Q8_0
#include "weights_blocks32.glsl"
#elif WEIGHT == TYPE_IQ4_NL || WEIGHT == TYPE_IQ4_XS || WEIGHT == TYPE_MXFP4
#include "weights_tables.glsl"
#elif WEIGHT == TYPE_Q4_K || WEIGHT == TYPE_Q5_K
#include "weights_k_minimum.glsl"
#elif WEIGHT == TYPE_Q2_K
#include "weights_q2_k.glsl"
#elif WEIGHT == TYPE_Q3_K
#include "weights_q3_k.glsl"
#elif WEIGHT == TYPE_Q6_K
#include "weights_q6_k.glsl"
#endif

#if WEIGHT > TYPE_BF16
void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
  uint codes[8];
  vec2 scale;
  vec2 minimum;
  decodeCodes(planes, unit, codes, scale, minimum);
  [[unroll]] for (uint i = 0; i < 8; i++) {
#ifdef SIGNED_CODES
    v[i] = scale[i >> 2] * signedBytes4(codes[i]);
#else
    v[i] = scale[i >> 2] * bytes4(codes[i]) + minimum[i >> 2];
#endif
  }
}
#endif
