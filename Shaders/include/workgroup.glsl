// One-dimensional workgroups whose width is specialization constant 0.
//
// Included before anything that reads gl_WorkGroupSize: glslang takes its value where it stands, and silently takes 1
// when the layout comes later.
layout(local_size_x_id = 0) in;
