// Recording.
#include "functions.h"

VkResult fm_vk_create_commands(VkDevice device, uint32_t family, VkCommandPool *pool, VkCommandBuffer *commands) {
  VkCommandPoolCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
  VkResult result = fm_vk.vkCreateCommandPool(device, &create, NULL, pool);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferAllocateInfo allocate = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = *pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1};
  result = fm_vk.vkAllocateCommandBuffers(device, &allocate, commands);
  if (result != VK_SUCCESS) fm_vk_destroy_commands(device, *pool);
  return result;
}

void fm_vk_destroy_commands(VkDevice device, VkCommandPool pool) {
  fm_vk.vkDestroyCommandPool(device, pool, NULL);
}

VkResult fm_vk_begin(VkDevice device, VkCommandPool pool, VkCommandBuffer commands) {
  VkResult result = fm_vk.vkResetCommandPool(device, pool, 0);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  return fm_vk.vkBeginCommandBuffer(commands, &begin);
}

VkResult fm_vk_end(VkCommandBuffer commands) { return fm_vk.vkEndCommandBuffer(commands); }

void fm_vk_bind(VkCommandBuffer commands, VkPipeline pipeline) {
  fm_vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
}

void fm_vk_push(VkCommandBuffer commands, VkPipelineLayout layout, const void *bytes, uint32_t count) {
  fm_vk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, count, bytes);
}

void fm_vk_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
  fm_vk.vkCmdDispatch(commands, x, y, z);
}

void fm_vk_copy(
    VkCommandBuffer commands, VkBuffer source, uint64_t source_offset, VkBuffer target, uint64_t target_offset,
    uint64_t count) {
  VkBufferCopy region = {source_offset, target_offset, count};
  fm_vk.vkCmdCopyBuffer(commands, source, target, 1, &region);
}

void fm_vk_fill(VkCommandBuffer commands, VkBuffer buffer, uint64_t offset, uint64_t count, uint32_t word) {
  fm_vk.vkCmdFillBuffer(commands, buffer, offset, count, word);
}

void fm_vk_barrier(
    VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
    VkAccessFlags read) {
  VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
  fm_vk.vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

VkResult fm_vk_create_queries(VkDevice device, uint32_t count, VkQueryPool *pool) {
  VkQueryPoolCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
      .queryType = VK_QUERY_TYPE_TIMESTAMP,
      .queryCount = count};
  return fm_vk.vkCreateQueryPool(device, &create, NULL, pool);
}

void fm_vk_destroy_queries(VkDevice device, VkQueryPool pool) { fm_vk.vkDestroyQueryPool(device, pool, NULL); }

void fm_vk_reset_queries(VkCommandBuffer commands, VkQueryPool pool, uint32_t count) {
  fm_vk.vkCmdResetQueryPool(commands, pool, 0, count);
}

void fm_vk_timestamp(VkCommandBuffer commands, VkQueryPool pool, uint32_t index) {
  fm_vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, index);
}

VkResult fm_vk_query_results(VkDevice device, VkQueryPool pool, uint32_t count, uint64_t *ticks) {
  return fm_vk.vkGetQueryPoolResults(
      device, pool, 0, count, count * sizeof *ticks, ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT);
}
