// Weights of one type, decoded a unit of 32 consecutive columns at a time.
//
// A row is `units` units; rows of plain floats are padded with zeros to whole units when they are
// loaded. `decodeUnit(planes, unit, v)` gives unit `unit` of the matrix, counted through all rows:
// v[i] holds columns 4i … 4i+3. A type's blocks lie in up to three planes: see WeightLayout.swift.

struct Planes { Words a; Words b; Words c; };

// The low nibbles of the four bytes of a word.
vec4 lowNibbles(uint word) { return bytes4(word & 0x0f0f0f0fu); }
vec4 highNibbles(uint word) { return bytes4((word >> 4) & 0x0f0f0f0fu); }

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
