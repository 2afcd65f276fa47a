// Compute pipelines without descriptor sets: shaders get addresses through push constants.
#include "functions.h"

enum { MAXIMUM_CONSTANTS = 32 };

static VkResult create_layout(VkDevice device, uint32_t push_bytes, VkPipelineLayout *layout) {
  VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
  VkPipelineLayoutCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pushConstantRangeCount = push_bytes > 0 ? 1 : 0,
      .pPushConstantRanges = &range};
  return fm_vk.vkCreatePipelineLayout(device, &create, NULL, layout);
}

static VkResult create_compute(
    VkDevice device, VkPipelineCache cache, const fm_vk_pipeline_source *source, VkShaderModule module,
    VkPipelineLayout layout, VkPipeline *pipeline) {
  VkSpecializationMapEntry entries[MAXIMUM_CONSTANTS];
  for (uint32_t i = 0; i < source->constant_count; i++) {
    entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
  }
  VkSpecializationInfo special = {
      source->constant_count, entries, source->constant_count * sizeof(uint32_t), source->constants};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = source->subgroup_size};
  VkComputePipelineCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
          {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
           .pNext = source->subgroup_size > 0 ? &size : NULL,
           .flags =
               source->full_subgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
           .module = module,
           .pName = "main",
           .pSpecializationInfo = &special},
      .layout = layout};
  return fm_vk.vkCreateComputePipelines(device, cache, 1, &create, NULL, pipeline);
}

VkResult fm_vk_create_pipeline(
    VkDevice device, VkPipelineCache cache, const fm_vk_pipeline_source *source, VkPipelineLayout *layout,
    VkPipeline *pipeline) {
  *layout = VK_NULL_HANDLE;
  *pipeline = VK_NULL_HANDLE;
  if (source->constant_count > MAXIMUM_CONSTANTS) return VK_ERROR_UNKNOWN;
  VkShaderModule module;
  VkShaderModuleCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = source->word_count * sizeof(uint32_t),
      .pCode = source->words};
  VkResult result = fm_vk.vkCreateShaderModule(device, &create, NULL, &module);
  if (result != VK_SUCCESS) return result;
  result = create_layout(device, source->push_bytes, layout);
  if (result == VK_SUCCESS) result = create_compute(device, cache, source, module, *layout, pipeline);
  if (result != VK_SUCCESS) fm_vk_destroy_pipeline(device, *layout, *pipeline);
  fm_vk.vkDestroyShaderModule(device, module, NULL);
  return result;
}

void fm_vk_destroy_pipeline(VkDevice device, VkPipelineLayout layout, VkPipeline pipeline) {
  fm_vk.vkDestroyPipeline(device, pipeline, NULL);
  fm_vk.vkDestroyPipelineLayout(device, layout, NULL);
}

VkResult fm_vk_create_pipeline_cache(VkDevice device, const void *bytes, size_t count, VkPipelineCache *cache) {
  VkPipelineCacheCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = count, .pInitialData = bytes};
  return fm_vk.vkCreatePipelineCache(device, &create, NULL, cache);
}

VkResult fm_vk_pipeline_cache_bytes(VkDevice device, VkPipelineCache cache, size_t *count, void *bytes) {
  return fm_vk.vkGetPipelineCacheData(device, cache, count, bytes);
}

void fm_vk_destroy_pipeline_cache(VkDevice device, VkPipelineCache cache) {
  fm_vk.vkDestroyPipelineCache(device, cache, NULL);
}
