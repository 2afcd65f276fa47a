// The sum over a workgroup, the same for every invocation and in one fixed order: a tree over the invocations,
// whatever the subgroup size. The workgroup's width is a power of two and at most 1024.
#include "workgroup.glsl"

shared float workgroup_partial[1024];

float workgroup_sum(float value) {
  uint lane = gl_LocalInvocationID.x;
  workgroup_partial[lane] = value;
  barrier();
  for (uint width = gl_WorkGroupSize.x / 2; width > 0; width /= 2) {
    if (lane < width) workgroup_partial[lane] += workgroup_partial[lane + width];
    barrier();
  }
  return workgroup_partial[0];
}
