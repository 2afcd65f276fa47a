// Packed dot products of four signed bytes, and activations quantized for them.
//
// The instruction comes from SPV_KHR_integer_dot_product through spirv_intrinsics, as the compiler
// knows no GL_EXT_integer_dot_product yet.

#extension GL_EXT_spirv_intrinsics : require

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int packedDot(int a, int b, spirv_literal int format);

int dot4(uint a, uint b) { return packedDot(int(a), int(b), 0); }

// A unit of activations: 32 signed bytes, their scale, the sums of the first and the last 16.
struct Codes {
  uvec4 first;
  uvec4 last;
  float scale;
  vec2 sums;
};

// Units are twelve words: 8 of codes, the scale, two sums, one unused.
Codes loadCodes(Words4 codes, uint unit) {
  uvec4 rest = codes.w[3u * unit + 2u];
  return Codes(codes.w[3u * unit], codes.w[3u * unit + 1u], uintBitsToFloat(rest.x),
      vec2(int(rest.y), int(rest.z)));
}

// Σ (scale · code + minimum) · activation over a unit, exact within 16 columns.
float dotUnit(uint w[8], vec2 scale, vec2 minimum, Codes x) {
  int low = 0;
  int high = 0;
  [[unroll]] for (uint i = 0; i < 4; i++) {
    low += dot4(w[i], x.first[i]);
    high += dot4(w[i + 4], x.last[i]);
  }
  return x.scale * (dot(scale, vec2(low, high)) + dot(minimum, x.sums));
}
