// Device extensions and the feature structures that go with them, for describing a device and for making one.
#ifndef FM_VULKAN_EXTENSIONS_H
#define FM_VULKAN_EXTENSIONS_H

#include "functions.h"

// What is there, through the core version or an extension.
struct fm_vk_extensions {
  bool budget, pci, integer_dot, maintenance4, subgroup_size_control, synchronization2;
  // The names to switch on, which live as long as the program.
  const char *names[8];
  uint32_t name_count;
};

// The chain of features: `all` → `v11` → `v12` → those of the extensions that are there.
struct fm_vk_features {
  VkPhysicalDeviceFeatures2 all;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot;
  VkPhysicalDeviceMaintenance4Features maintenance4;
  VkPhysicalDeviceSubgroupSizeControlFeatures sizes;
  VkPhysicalDeviceSynchronization2Features synchronization2;
};

void fm_vk_find_extensions(VkPhysicalDevice device, uint32_t api_version, struct fm_vk_extensions *has);

// Clears the structures and links those that may be asked about.
void fm_vk_link_features(struct fm_vk_features *features, const struct fm_vk_extensions *has);

#endif
