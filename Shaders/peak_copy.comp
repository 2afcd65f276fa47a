// target[i] = source[i] for `count` words of 16 bytes: what the device reads and writes at most.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;

layout(buffer_reference, std430, buffer_reference_align = 16) restrict writeonly buffer Target { uvec4 w[]; };

layout(push_constant) uniform Push {
  Words4 source;   // [count]
  Target target;   // [count]
  uint count;
} push;

void main() {
  uint stride = gl_NumWorkGroups.x * WIDTH;
  uint first = gl_WorkGroupID.x * WIDTH + gl_LocalInvocationID.x;
  for (uint index = first; index < push.count; index += stride)
    push.target.w[index] = push.source.w[index];
}
