// `rounds` times 32 multiply-adds in registers: what the device computes at most in f32. Each
// invocation writes the sum of its chains to result[invocation], so that none can be left out.
#version 450
#include "memory.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WIDTH = 64;

layout(push_constant) uniform Push {
  Floats result;   // [groups * WIDTH]
  float factor;
  float term;
  uint rounds;
} push;

void main() {
  uint invocation = gl_WorkGroupID.x * WIDTH + gl_LocalInvocationID.x;
  vec4 sums[8];
  [[unroll]] for (int chain = 0; chain < 8; chain++) sums[chain] = vec4(float(invocation) + float(chain));
  for (uint round = 0; round < push.rounds; round++)
    [[unroll]] for (int chain = 0; chain < 8; chain++)
      sums[chain] = fma(sums[chain], vec4(push.factor), vec4(push.term));
  vec4 total = vec4(0);
  [[unroll]] for (int chain = 0; chain < 8; chain++) total += sums[chain];
  push.result.f[invocation] = dot(total, vec4(1));
}
