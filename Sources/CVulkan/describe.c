// What a physical device is and can do, flattened.
#include <string.h>

#include "extensions.h"

static void describe_basics(VkPhysicalDevice device, fm_vk_record *r) {
  VkPhysicalDeviceProperties p;
  fm_vk.vkGetPhysicalDeviceProperties(device, &p);
  memcpy(r->name, p.deviceName, sizeof r->name);
  r->name[sizeof r->name - 1] = 0;
  memcpy(r->pipeline_cache_uuid, p.pipelineCacheUUID, FM_VK_UUID);
  r->type = (uint32_t)p.deviceType;
  r->vendor_id = p.vendorID;
  r->device_id = p.deviceID;
  r->driver_version = p.driverVersion;
  r->api_version = p.apiVersion;
  r->max_storage_buffer_range = p.limits.maxStorageBufferRange;
  r->max_allocations = p.limits.maxMemoryAllocationCount;
  r->max_push_constants = p.limits.maxPushConstantsSize;
  r->max_shared_memory = p.limits.maxComputeSharedMemorySize;
  r->max_workgroup_invocations = p.limits.maxComputeWorkGroupInvocations;
  memcpy(r->max_workgroup_count, p.limits.maxComputeWorkGroupCount, sizeof r->max_workgroup_count);
  memcpy(r->max_workgroup_size, p.limits.maxComputeWorkGroupSize, sizeof r->max_workgroup_size);
  r->timestamp_period = p.limits.timestampPeriod;
}

static void describe_memory(VkPhysicalDevice device, fm_vk_record *r) {
  VkPhysicalDeviceMemoryProperties m;
  fm_vk.vkGetPhysicalDeviceMemoryProperties(device, &m);
  r->heap_count = m.memoryHeapCount < FM_VK_HEAPS ? m.memoryHeapCount : FM_VK_HEAPS;
  for (uint32_t i = 0; i < r->heap_count; i++) {
    r->heaps[i].size = r->heaps[i].budget = m.memoryHeaps[i].size;
    r->heaps[i].is_device_local = (m.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
  }
  r->type_count = m.memoryTypeCount < FM_VK_TYPES ? m.memoryTypeCount : FM_VK_TYPES;
  for (uint32_t i = 0; i < r->type_count; i++) {
    r->types[i] = (fm_vk_memory_type){m.memoryTypes[i].propertyFlags, m.memoryTypes[i].heapIndex};
  }
}

static void describe_families(VkPhysicalDevice device, fm_vk_record *r) {
  VkQueueFamilyProperties families[FM_VK_FAMILIES];
  uint32_t count = FM_VK_FAMILIES;
  fm_vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families);
  r->family_count = count;
  for (uint32_t i = 0; i < count; i++) {
    r->families[i] =
        (fm_vk_queue_family){families[i].queueFlags, families[i].queueCount, families[i].timestampValidBits};
  }
}

static void describe_properties(VkPhysicalDevice device, const struct fm_vk_extensions *has, fm_vk_record *r) {
  VkPhysicalDeviceShaderIntegerDotProductProperties dot = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties maintenance4 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  VkPhysicalDeviceVulkan12Properties p12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties p11 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &p12};
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p11};
  void **last = &p12.pNext;
  if (has->integer_dot) *last = &dot, last = &dot.pNext;
  if (has->maintenance4) *last = &maintenance4, last = &maintenance4.pNext;
  if (has->subgroup_size_control) *last = &sizes, last = &sizes.pNext;
  if (has->pci) *last = &pci, last = &pci.pNext;
  fm_vk.vkGetPhysicalDeviceProperties2(device, &all);

  memcpy(r->device_uuid, p11.deviceUUID, FM_VK_UUID);
  memcpy(r->driver_name, p12.driverName, sizeof r->driver_name);
  memcpy(r->driver_text, p12.driverInfo, sizeof r->driver_text);
  r->driver_name[sizeof r->driver_name - 1] = r->driver_text[sizeof r->driver_text - 1] = 0;
  r->driver_id = (uint32_t)p12.driverID;
  r->max_memory_allocation = p11.maxMemoryAllocationSize;
  r->max_buffer_size = has->maintenance4 ? maintenance4.maxBufferSize : 0;
  r->subgroup_size = r->min_subgroup_size = r->max_subgroup_size = p11.subgroupSize;
  r->subgroup_operations = p11.subgroupSupportedOperations;
  r->subgroup_in_compute = (p11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (has->subgroup_size_control) {
    r->min_subgroup_size = sizes.minSubgroupSize;
    r->max_subgroup_size = sizes.maxSubgroupSize;
    r->required_subgroup_size = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  }
  r->integer_dot_accelerated = has->integer_dot && dot.integerDotProduct4x8BitPackedSignedAccelerated;
  r->has_pci = has->pci;
  r->pci_domain = pci.pciDomain;
  r->pci_bus = pci.pciBus;
  r->pci_device = pci.pciDevice;
  r->pci_function = pci.pciFunction;
}

static void describe_features(VkPhysicalDevice device, const struct fm_vk_extensions *has, fm_vk_record *r) {
  struct fm_vk_features f;
  fm_vk_link_features(&f, has);
  fm_vk.vkGetPhysicalDeviceFeatures2(device, &f.all);
  r->int16 = f.all.features.shaderInt16;
  r->int64 = f.all.features.shaderInt64;
  r->storage16 = f.v11.storageBuffer16BitAccess;
  r->storage8 = f.v12.storageBuffer8BitAccess;
  r->float16 = f.v12.shaderFloat16;
  r->int8 = f.v12.shaderInt8;
  r->device_address = f.v12.bufferDeviceAddress;
  r->timeline = f.v12.timelineSemaphore;
  r->scalar_layout = f.v12.scalarBlockLayout;
  r->host_query_reset = f.v12.hostQueryReset;
  r->memory_model = f.v12.vulkanMemoryModel && f.v12.vulkanMemoryModelDeviceScope;
  r->subgroup_extended_types = f.v12.shaderSubgroupExtendedTypes;
  r->subgroup_size_control = f.sizes.subgroupSizeControl;
  r->full_subgroups = f.sizes.computeFullSubgroups;
  r->integer_dot = f.dot.shaderIntegerDotProduct;
  r->synchronization2 = f.synchronization2.synchronization2;
}

void fm_vk_describe(VkPhysicalDevice device, fm_vk_record *record) {
  memset(record, 0, sizeof *record);
  describe_basics(device, record);
  describe_memory(device, record);
  describe_families(device, record);
  if (record->api_version < VK_API_VERSION_1_2) return;
  struct fm_vk_extensions has;
  fm_vk_find_extensions(device, record->api_version, &has);
  record->has_budget = has.budget;
  describe_properties(device, &has, record);
  describe_features(device, &has, record);
  fm_vk_refresh_budgets(device, record);
}

void fm_vk_refresh_budgets(VkPhysicalDevice device, fm_vk_record *record) {
  if (!record->has_budget) return;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 all = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
  fm_vk.vkGetPhysicalDeviceMemoryProperties2(device, &all);
  for (uint32_t i = 0; i < record->heap_count; i++) {
    record->heaps[i].budget = budget.heapBudget[i];
    record->heaps[i].usage = budget.heapUsage[i];
  }
}
