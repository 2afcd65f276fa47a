// glslang's C interface, with the options every shader of this package is compiled with.
#include "fm_glslang.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *first, const char *second) {
  size_t a = strlen(first), b = strlen(second);
  char *text = malloc(a + b + 1);
  if (text == NULL) abort();
  memcpy(text, first, a);
  memcpy(text + a, second, b);
  text[a + b] = 0;
  return text;
}

static glslang_input_t input_of(const char *source) {
  return (glslang_input_t){
      .language = GLSLANG_SOURCE_GLSL,
      .stage = GLSLANG_STAGE_COMPUTE,
      .client = GLSLANG_CLIENT_VULKAN,
      .client_version = GLSLANG_TARGET_VULKAN_1_2,
      .target_language = GLSLANG_TARGET_SPV,
      .target_language_version = GLSLANG_TARGET_SPV_1_5,
      .code = source,
      .default_version = 460,
      .default_profile = GLSLANG_NO_PROFILE,
      .messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT,
      .resource = glslang_default_resource()};
}

static fm_glslang_result generate(glslang_shader_t *shader, glslang_messages_t messages) {
  fm_glslang_result result = {0};
  glslang_program_t *program = glslang_program_create();
  glslang_program_add_shader(program, shader);
  if (glslang_program_link(program, messages)) {
    glslang_spv_options_t options = {.disable_optimizer = true, .strip_debug_info = true};
    glslang_program_SPIRV_generate_with_options(program, GLSLANG_STAGE_COMPUTE, &options);
    result.word_count = glslang_program_SPIRV_get_size(program);
    result.words = malloc(result.word_count * sizeof(uint32_t));
    if (result.words == NULL) abort();
    glslang_program_SPIRV_get(program, result.words);
    const char *said = glslang_program_SPIRV_get_messages(program);
    result.log = copy_text(said != NULL ? said : "", "");
  } else {
    result.log =
        copy_text(glslang_program_get_info_log(program), glslang_program_get_info_debug_log(program));
  }
  glslang_program_delete(program);
  return result;
}

fm_glslang_result fm_glslang_compile(const char *source, const char *preamble) {
  // Once, and never undone: the tables of built-ins cost a hundred times what a shader does.
  static bool is_ready = false;
  if (!is_ready) is_ready = glslang_initialize_process() != 0;
  glslang_input_t input = input_of(source);
  glslang_shader_t *shader = glslang_shader_create(&input);
  glslang_shader_set_preamble(shader, preamble);
  fm_glslang_result result = {0};
  if (glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input)) {
    result = generate(shader, input.messages);
  } else {
    result.log = copy_text(glslang_shader_get_info_log(shader), glslang_shader_get_info_debug_log(shader));
  }
  glslang_shader_delete(shader);
  return result;
}

void fm_glslang_free(fm_glslang_result result) {
  free(result.words);
  free(result.log);
}
