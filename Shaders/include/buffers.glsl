// Pointers to device memory, passed as 64-bit addresses in push constants. There is no bounds checking behind them:
// every shader guards its own indices.
#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer ReadFloats { float at[]; };
