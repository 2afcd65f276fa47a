// output = input / sqrt(mean(input²) + epsilon) * weight over groups of `width` floats, a workgroup each.
// Input and output may be the same buffer: an invocation writes only what it alone reads.
#version 460
#include "buffers.glsl"
#include "workgroup_sum.glsl"

layout(push_constant) uniform Arguments {
  ReadFloats source;
  ReadFloats weight;
  Floats target;
  uint width;
  float epsilon;
} arguments;

void main() {
  uint first = gl_WorkGroupID.x * arguments.width;
  float squares = 0.0;
  for (uint i = gl_LocalInvocationID.x; i < arguments.width; i += gl_WorkGroupSize.x) {
    float value = arguments.source.at[first + i];
    squares = fma(value, value, squares);
  }
  float mean = workgroup_sum(squares) / float(arguments.width);
  float scale = 1.0 / sqrt(mean + arguments.epsilon);
  for (uint i = gl_LocalInvocationID.x; i < arguments.width; i += gl_WorkGroupSize.x) {
    arguments.target.at[first + i] = arguments.source.at[first + i] * scale * arguments.weight.at[i];
  }
}
