// Devices, queues and timeline semaphores.
#include <stdlib.h>
#include <string.h>

#include "extensions.h"

static bool is_listed(const VkExtensionProperties *list, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(list[i].extensionName, name) == 0) return true;
  }
  return false;
}

void fm_vk_find_extensions(VkPhysicalDevice device, uint32_t api_version, struct fm_vk_extensions *has) {
  memset(has, 0, sizeof *has);
  uint32_t count = 0;
  fm_vk.vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL);
  VkExtensionProperties *list = calloc(count > 0 ? count : 1, sizeof *list);
  if (list == NULL) return;
  VkResult result = fm_vk.vkEnumerateDeviceExtensionProperties(device, NULL, &count, list);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) count = 0;
  bool core13 = api_version >= VK_API_VERSION_1_3;
  struct {
    const char *name;
    bool *flag;
    bool is_core13;
  } wanted[] = {
      {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, &has->budget, false},
      {VK_EXT_PCI_BUS_INFO_EXTENSION_NAME, &has->pci, false},
      {VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME, &has->integer_dot, true},
      {VK_KHR_MAINTENANCE_4_EXTENSION_NAME, &has->maintenance4, true},
      {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, &has->subgroup_size_control, true},
      {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, &has->synchronization2, true},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    bool listed = is_listed(list, count, wanted[i].name);
    bool by_core = core13 && wanted[i].is_core13;
    *wanted[i].flag = listed || by_core;
    if (listed && !by_core) has->names[has->name_count++] = wanted[i].name;
  }
  free(list);
}

void fm_vk_link_features(struct fm_vk_features *f, const struct fm_vk_extensions *has) {
  memset(f, 0, sizeof *f);
  f->all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  f->dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  f->maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
  f->sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  f->synchronization2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES;
  f->all.pNext = &f->v11;
  f->v11.pNext = &f->v12;
  void **last = &f->v12.pNext;
  if (has->integer_dot) *last = &f->dot, last = &f->dot.pNext;
  if (has->maintenance4) *last = &f->maintenance4, last = &f->maintenance4.pNext;
  if (has->subgroup_size_control) *last = &f->sizes, last = &f->sizes.pNext;
  if (has->synchronization2) *last = &f->synchronization2, last = &f->synchronization2.pNext;
}

// Exactly the features of the record, and none that a driver may pay for unused.
static void ask_for(struct fm_vk_features *f, const fm_vk_record *r) {
  f->all.features.shaderInt16 = r->int16;
  f->all.features.shaderInt64 = r->int64;
  f->v11.storageBuffer16BitAccess = r->storage16;
  f->v12.storageBuffer8BitAccess = r->storage8;
  f->v12.shaderFloat16 = r->float16;
  f->v12.shaderInt8 = r->int8;
  f->v12.bufferDeviceAddress = r->device_address;
  f->v12.timelineSemaphore = r->timeline;
  f->v12.scalarBlockLayout = r->scalar_layout;
  f->v12.hostQueryReset = r->host_query_reset;
  f->v12.vulkanMemoryModel = f->v12.vulkanMemoryModelDeviceScope = r->memory_model;
  f->v12.shaderSubgroupExtendedTypes = r->subgroup_extended_types;
  f->sizes.subgroupSizeControl = r->subgroup_size_control;
  f->sizes.computeFullSubgroups = r->full_subgroups;
  f->dot.shaderIntegerDotProduct = r->integer_dot;
  f->maintenance4.maintenance4 = r->max_buffer_size > 0;
  f->synchronization2.synchronization2 = r->synchronization2;
}

VkResult fm_vk_create_device(
    VkPhysicalDevice physical, const fm_vk_record *record, uint32_t family, VkDevice *device, VkQueue *queue) {
  struct fm_vk_extensions has;
  struct fm_vk_features features;
  fm_vk_find_extensions(physical, record->api_version, &has);
  fm_vk_link_features(&features, &has);
  ask_for(&features, record);
  float priority = 1;
  VkDeviceQueueCreateInfo queues = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = family,
      .queueCount = 1,
      .pQueuePriorities = &priority};
  VkDeviceCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features.all,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queues,
      .enabledExtensionCount = has.name_count,
      .ppEnabledExtensionNames = has.names};
  VkResult result = fm_vk.vkCreateDevice(physical, &create, NULL, device);
  if (result == VK_SUCCESS) fm_vk.vkGetDeviceQueue(*device, family, 0, queue);
  return result;
}

void fm_vk_destroy_device(VkDevice device) { fm_vk.vkDestroyDevice(device, NULL); }

VkResult fm_vk_wait_idle(VkDevice device) { return fm_vk.vkDeviceWaitIdle(device); }

VkResult fm_vk_create_timeline(VkDevice device, VkSemaphore *semaphore) {
  VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  VkSemaphoreCreateInfo create = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  return fm_vk.vkCreateSemaphore(device, &create, NULL, semaphore);
}

void fm_vk_destroy_semaphore(VkDevice device, VkSemaphore semaphore) {
  fm_vk.vkDestroySemaphore(device, semaphore, NULL);
}

VkResult fm_vk_timeline_value(VkDevice device, VkSemaphore semaphore, uint64_t *value) {
  return fm_vk.vkGetSemaphoreCounterValue(device, semaphore, value);
}

VkResult fm_vk_wait(VkDevice device, VkSemaphore semaphore, uint64_t value, uint64_t nanoseconds) {
  VkSemaphoreWaitInfo wait = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
      .semaphoreCount = 1,
      .pSemaphores = &semaphore,
      .pValues = &value};
  return fm_vk.vkWaitSemaphores(device, &wait, nanoseconds);
}

VkResult fm_vk_submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value) {
  VkTimelineSemaphoreSubmitInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &value};
  VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &timeline,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &semaphore};
  return fm_vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
}
