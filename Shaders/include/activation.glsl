// The activations of gated feed-forward layers: kind 0 SiLU, 1 GELU in its tanh form.

#include "math.glsl"

float activate(uint kind, float x) {
  if (kind == 0u) return x / (1.0 + exp(-x));
  return 0.5 * x * (1.0 + safeTanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
