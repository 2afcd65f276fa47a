// What the two candidate kernels are given.
//
// Requests: for each output the number of candidates, the first word of its mask or -1, and the
// start and number of its biases (pairs of token and f32 bits). Partial results of a chunk: most,
// sum of exponentials, flags, and `most` pairs of token and f32 bits; results the same without most
// and flags: the log-sum-exp, then pairs.

layout(push_constant) uniform Push {
  Floats logits;       // [outputs, stride]
  Integers requests;   // [outputs, 4]
  Words masks;
  Words biases;
  Words partial;       // [outputs, chunks, 3 + 2 * capacity]
  Words result;        // [outputs, 2 + 2 * capacity]
  uint stride;
  uint vocabulary;
  uint chunks;
  uint capacity;
} push;

#define CHUNK_TOKENS 2048u
#define SAW_NAN 1u
#define SAW_INFINITY 2u

uint partialStart(uint request, uint chunk) {
  return (request * push.chunks + chunk) * (3u + 2u * push.capacity);
}
