// Sums and maxima over a workgroup in a fixed tree; WIDTH is its size.

#extension GL_KHR_shader_subgroup_arithmetic : require

shared float reduced[(WIDTH + 3u) / 4u];

float workgroupSum(float value) {
  value = subgroupAdd(value);
  barrier();
  if (gl_SubgroupInvocationID == 0u) reduced[gl_SubgroupID] = value;
  barrier();
  float sum = 0.0;
  for (uint i = 0; i < gl_NumSubgroups; i++) sum += reduced[i];
  return sum;
}
