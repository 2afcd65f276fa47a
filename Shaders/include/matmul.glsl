// What matrix products are given, and what they do with a finished sum.

layout(push_constant) uniform Push {
  Words a;              // Weight planes
  Words b;
  Words c;
  Floats x;             // [count, xStride], rows of whole units
  Floats y;             // [count, yStride]
  Floats bias;          // [rows]
  Floats residual;      // [count, residualStride]
  uint units;           // Units of 32 columns in a row
  uint rows;            // Rows of the weight: columns of y
  uint count;           // Rows of x and y
  uint xStride;
  uint yStride;
  uint residualStride;
} push;

#define EPILOGUE_BIAS 1u
#define EPILOGUE_RESIDUAL 2u

// The product is finished, then the bias is added, then the residual: the order of `Op.Matmul`.
void store(uint epilogue, uint n, uint m, float sum) {
  if ((epilogue & EPILOGUE_BIAS) != 0u) sum += push.bias.f[m];
  if ((epilogue & EPILOGUE_RESIDUAL) != 0u) sum += push.residual.f[n * push.residualStride + m];
  push.y.f[n * push.yStride + m] = sum;
}
