// tanh that keeps its digits near zero and does not overflow far from it, on every driver.
float safeTanh(float x) {
  if (abs(x) < 0.02) return x * (1.0 - x * x * (1.0 / 3.0));
  return tanh(clamp(x, -10.0, 10.0));
}
