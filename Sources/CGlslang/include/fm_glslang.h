// Compiling one GLSL compute shader with glslang, as a plain C call.
#ifndef FM_GLSLANG_H
#define FM_GLSLANG_H

#include <stddef.h>
#include <stdint.h>

// What came of it: `words` (NULL after an error) and `log` (never NULL); freed by fm_glslang_free.
typedef struct {
  uint32_t *words;
  size_t word_count;
  char *log;
} fm_glslang_result;

// Compiles `source`, without #include, for Vulkan 1.2 to SPIR-V 1.5. `preamble` holds the #define lines. Not safe for
// concurrent use: glslang keeps its tables of built-ins in the process.
fm_glslang_result fm_glslang_compile(const char *source, const char *preamble);
void fm_glslang_free(fm_glslang_result result);

#endif
