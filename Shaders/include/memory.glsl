// Views of device memory by address. Every kernel gets addresses in its push constants, so there
// are no descriptors, no binding ranges and no limit of 4 GiB on what a kernel can reach.

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require

layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer Words { uint w[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) restrict readonly buffer Words4 { uvec4 w[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict readonly buffer Integers { int i[]; };
// Not `restrict`: a kernel may be given one value as input and output.
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float f[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) restrict readonly buffer Floats4 { vec4 f[]; };

// The f16 number at element `index` of packed halves.
float halfAt(Words halves, uint index) {
  vec2 pair = unpackHalf2x16(halves.w[index >> 1]);
  return (index & 1u) == 0u ? pair.x : pair.y;
}

// The byte at `index` of packed bytes.
uint byteAt(Words bytes, uint index) {
  return (bytes.w[index >> 2] >> ((index & 3u) * 8u)) & 255u;
}

// One byte of each of four fields of a word.
vec4 bytes4(uint word) {
  return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
}

// Four signed bytes.
vec4 signedBytes4(uint word) {
  int bits = int(word);
  return vec4(bitfieldExtract(bits, 0, 8), bitfieldExtract(bits, 8, 8),
      bitfieldExtract(bits, 16, 8), bitfieldExtract(bits, 24, 8));
}

// Workgroups are folded into two dimensions where one would pass the limit of 65,535.
uint foldedGroup() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }
