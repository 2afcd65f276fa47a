// The Vulkan entry points that are used, found once by name; see loader.c.
#ifndef FM_VULKAN_FUNCTIONS_H
#define FM_VULKAN_FUNCTIONS_H

#include "fm_vulkan.h"

// Found before there is an instance.
#define FM_VK_GLOBAL_FUNCTIONS(F) \
  F(vkCreateInstance)             \
  F(vkEnumerateInstanceLayerProperties) \
  F(vkEnumerateInstanceExtensionProperties)

// Found through an instance. The loader's trampolines serve every instance and device of the process.
#define FM_VK_INSTANCE_FUNCTIONS(F) \
  F(vkDestroyInstance) \
  F(vkEnumeratePhysicalDevices) \
  F(vkEnumerateDeviceExtensionProperties) \
  F(vkGetPhysicalDeviceProperties) \
  F(vkGetPhysicalDeviceMemoryProperties) \
  F(vkGetPhysicalDeviceQueueFamilyProperties) \
  F(vkGetPhysicalDeviceProperties2) \
  F(vkGetPhysicalDeviceFeatures2) \
  F(vkGetPhysicalDeviceMemoryProperties2) \
  F(vkCreateDevice) \
  F(vkDestroyDevice) \
  F(vkGetDeviceQueue) \
  F(vkDeviceWaitIdle) \
  F(vkQueueSubmit) \
  F(vkCreateSemaphore) \
  F(vkDestroySemaphore) \
  F(vkGetSemaphoreCounterValue) \
  F(vkWaitSemaphores) \
  F(vkCreateBuffer) \
  F(vkDestroyBuffer) \
  F(vkGetBufferMemoryRequirements) \
  F(vkGetBufferDeviceAddress) \
  F(vkAllocateMemory) \
  F(vkFreeMemory) \
  F(vkBindBufferMemory) \
  F(vkMapMemory) \
  F(vkCreateShaderModule) \
  F(vkDestroyShaderModule) \
  F(vkCreatePipelineLayout) \
  F(vkDestroyPipelineLayout) \
  F(vkCreatePipelineCache) \
  F(vkGetPipelineCacheData) \
  F(vkDestroyPipelineCache) \
  F(vkCreateComputePipelines) \
  F(vkDestroyPipeline) \
  F(vkCreateCommandPool) \
  F(vkResetCommandPool) \
  F(vkDestroyCommandPool) \
  F(vkAllocateCommandBuffers) \
  F(vkBeginCommandBuffer) \
  F(vkEndCommandBuffer) \
  F(vkCmdBindPipeline) \
  F(vkCmdPushConstants) \
  F(vkCmdDispatch) \
  F(vkCmdCopyBuffer) \
  F(vkCmdFillBuffer) \
  F(vkCmdPipelineBarrier) \
  F(vkCreateQueryPool) \
  F(vkDestroyQueryPool) \
  F(vkCmdResetQueryPool) \
  F(vkCmdWriteTimestamp) \
  F(vkGetQueryPoolResults)

struct fm_vk_functions {
#define FM_VK_MEMBER(name) PFN_##name name;
  FM_VK_GLOBAL_FUNCTIONS(FM_VK_MEMBER)
  FM_VK_INSTANCE_FUNCTIONS(FM_VK_MEMBER)
#undef FM_VK_MEMBER
  // Present only where VK_EXT_debug_utils is.
  PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT;
  PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT;
};

// Written while the first instance is made, under the caller's lock, and only read afterwards.
extern struct fm_vk_functions fm_vk;

#endif
