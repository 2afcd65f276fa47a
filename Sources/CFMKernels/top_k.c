#include "include/fm_ops.h"

/// Whether `a` is a worse candidate than `b`: a smaller logit, or the same and a later token.
static int worse(fm_candidate a, fm_candidate b) {
  return a.logit < b.logit || (a.logit == b.logit && a.token > b.token);
}

/// Moves the entry at `index` down until its children are no worse.
static void sift_down(fm_candidate *entries, size_t count, size_t index) {
  const fm_candidate moving = entries[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= count) break;
    if (child + 1 < count && worse(entries[child + 1], entries[child])) child++;
    if (!worse(entries[child], moving)) break;
    entries[index] = entries[child];
    index = child;
  }
  entries[index] = moving;
}

void fm_heap_offer(fm_candidate_heap *heap, fm_candidate candidate) {
  if (candidate.logit != candidate.logit || heap->capacity == 0) return;
  if (heap->count == heap->capacity) {
    if (!worse(heap->entries[0], candidate)) return;
    heap->entries[0] = candidate;
    sift_down(heap->entries, heap->count, 0);
    return;
  }
  size_t index = heap->count++;
  while (index > 0 && worse(candidate, heap->entries[(index - 1) / 2])) {
    heap->entries[index] = heap->entries[(index - 1) / 2];
    index = (index - 1) / 2;
  }
  heap->entries[index] = candidate;
}

void fm_heap_sort(fm_candidate_heap *heap) {
  // The worst goes last, again and again.
  for (size_t count = heap->count; count > 1; count--) {
    const fm_candidate worst = heap->entries[0];
    heap->entries[0] = heap->entries[count - 1];
    heap->entries[count - 1] = worst;
    sift_down(heap->entries, count - 1, 0);
  }
}
