// Blocks of memory with one buffer over each.
#include "functions.h"

static VkResult create_buffer(VkDevice device, uint64_t size, VkBuffer *buffer) {
  VkBufferCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
          | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
  return fm_vk.vkCreateBuffer(device, &create, NULL, buffer);
}

VkResult fm_vk_buffer_types(VkDevice device, uint32_t *types) {
  VkBuffer buffer;
  VkResult result = create_buffer(device, 256, &buffer);
  if (result != VK_SUCCESS) return result;
  VkMemoryRequirements needs;
  fm_vk.vkGetBufferMemoryRequirements(device, buffer, &needs);
  fm_vk.vkDestroyBuffer(device, buffer, NULL);
  *types = needs.memoryTypeBits;
  return VK_SUCCESS;
}

static VkResult allocate(VkDevice device, uint32_t type, bool map, fm_vk_block *block) {
  VkMemoryRequirements needs;
  fm_vk.vkGetBufferMemoryRequirements(device, block->buffer, &needs);
  VkMemoryAllocateFlagsInfo flags = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo allocation = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &flags,
      .allocationSize = needs.size,
      .memoryTypeIndex = type};
  VkResult result = fm_vk.vkAllocateMemory(device, &allocation, NULL, &block->memory);
  if (result != VK_SUCCESS) return result;
  result = fm_vk.vkBindBufferMemory(device, block->buffer, block->memory, 0);
  if (result == VK_SUCCESS && map) {
    result = fm_vk.vkMapMemory(device, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
  }
  return result;
}

VkResult fm_vk_create_block(VkDevice device, uint64_t size, uint32_t type, bool map, fm_vk_block *block) {
  *block = (fm_vk_block){0};
  VkResult result = create_buffer(device, size, &block->buffer);
  if (result != VK_SUCCESS) return result;
  result = allocate(device, type, map, block);
  if (result != VK_SUCCESS) {
    fm_vk_destroy_block(device, *block);
    return result;
  }
  VkBufferDeviceAddressInfo where = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = block->buffer};
  block->address = fm_vk.vkGetBufferDeviceAddress(device, &where);
  return VK_SUCCESS;
}

void fm_vk_destroy_block(VkDevice device, fm_vk_block block) {
  fm_vk.vkDestroyBuffer(device, block.buffer, NULL);
  // Freeing unmaps.
  fm_vk.vkFreeMemory(device, block.memory, NULL);
}
