// output[i] = left[i] + right[i] for i < count. Any of the three may be the same buffer.
#version 460
#include "buffers.glsl"
#include "workgroup.glsl"

layout(push_constant) uniform Arguments {
  ReadFloats left;
  ReadFloats right;
  Floats target;
  uint count;
} arguments;

void main() {
  uint index = gl_GlobalInvocationID.x;
  if (index >= arguments.count) return;
  arguments.target.at[index] = arguments.left.at[index] + arguments.right.at[index];
}
