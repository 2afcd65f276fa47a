// Opening the Vulkan loader and making an instance.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "functions.h"

struct fm_vk_functions fm_vk;
static PFN_vkGetInstanceProcAddr get_instance_proc;

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

bool fm_vk_load(const char *path, char *message, size_t capacity) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    snprintf(message, capacity, "%s", reason != NULL ? reason : "unknown reason");
    return false;
  }
  if (get_instance_proc != NULL) {
    dlclose(library);
    return true;
  }
  // Never closed after this: drivers start threads that outlive their instance.
  PFN_vkGetInstanceProcAddr entry = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
  if (entry == NULL) {
    snprintf(message, capacity, "%s has no vkGetInstanceProcAddr", path);
    dlclose(library);
    return false;
  }
#define FM_VK_FIND(name)                                     \
  fm_vk.name = (PFN_##name)entry(VK_NULL_HANDLE, #name);     \
  if (fm_vk.name == NULL) {                                  \
    snprintf(message, capacity, "%s has no " #name, path);   \
    return false;                                            \
  }
  FM_VK_GLOBAL_FUNCTIONS(FM_VK_FIND)
#undef FM_VK_FIND
  get_instance_proc = entry;
  return true;
}

static bool has_layer(const char *name) {
  VkLayerProperties layers[64];
  uint32_t count = 64;
  VkResult result = fm_vk.vkEnumerateInstanceLayerProperties(&count, layers);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(layers[i].layerName, name) == 0) return true;
  }
  return false;
}

static bool has_instance_extension(const char *layer, const char *name) {
  VkExtensionProperties extensions[64];
  uint32_t count = 64;
  VkResult result = fm_vk.vkEnumerateInstanceExtensionProperties(layer, &count, extensions);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(extensions[i].extensionName, name) == 0) return true;
  }
  return false;
}

// The same function for every instance of the process; the context is each instance's own.
static fm_vk_message message_callback;

static VKAPI_ATTR VkBool32 VKAPI_CALL forward_message(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  (void)types;
  bool is_error = severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  if (data->pMessage != NULL) message_callback(user, is_error, data->pMessage);
  return VK_FALSE;
}

// Once: what the first instance gives out works with every other, and other threads may be reading it by then.
static VkResult find_instance_functions(VkInstance instance) {
  if (fm_vk.vkDestroyInstance != NULL) return VK_SUCCESS;
  struct fm_vk_functions found = fm_vk;
#define FM_VK_FIND(name)                                       \
  found.name = (PFN_##name)get_instance_proc(instance, #name); \
  if (found.name == NULL) return VK_ERROR_INCOMPATIBLE_DRIVER;
  FM_VK_INSTANCE_FUNCTIONS(FM_VK_FIND)
#undef FM_VK_FIND
  found.vkCreateDebugUtilsMessengerEXT =
      (PFN_vkCreateDebugUtilsMessengerEXT)get_instance_proc(instance, "vkCreateDebugUtilsMessengerEXT");
  found.vkDestroyDebugUtilsMessengerEXT =
      (PFN_vkDestroyDebugUtilsMessengerEXT)get_instance_proc(instance, "vkDestroyDebugUtilsMessengerEXT");
  fm_vk = found;
  return VK_SUCCESS;
}

VkResult fm_vk_create_instance(
    bool validation, fm_vk_message callback, void *context, VkInstance *instance,
    VkDebugUtilsMessengerEXT *messenger, bool *has_validation) {
  const char *layer = validation_layer;
  const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  bool layered = validation && has_layer(layer);
  bool messages = callback != NULL
      && (has_instance_extension(NULL, extension) || (layered && has_instance_extension(layer, extension)));
  if (messages && message_callback == NULL) message_callback = callback;
  VkDebugUtilsMessengerCreateInfoEXT listen = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = forward_message,
      .pUserData = context};
  VkApplicationInfo application = {
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
      .pApplicationName = "foundation-models",
      .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo create = {
      .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
      .pNext = messages ? &listen : NULL,
      .pApplicationInfo = &application,
      .enabledLayerCount = layered ? 1 : 0,
      .ppEnabledLayerNames = &layer,
      .enabledExtensionCount = messages ? 1 : 0,
      .ppEnabledExtensionNames = &extension};
  *messenger = VK_NULL_HANDLE;
  *has_validation = layered && messages;
  VkResult result = fm_vk.vkCreateInstance(&create, NULL, instance);
  if (result != VK_SUCCESS) return result;
  result = find_instance_functions(*instance);
  if (result != VK_SUCCESS) return result;
  if (messages && fm_vk.vkCreateDebugUtilsMessengerEXT != NULL) {
    fm_vk.vkCreateDebugUtilsMessengerEXT(*instance, &listen, NULL, messenger);
  }
  return VK_SUCCESS;
}

void fm_vk_destroy_instance(VkInstance instance, VkDebugUtilsMessengerEXT messenger) {
  if (messenger != VK_NULL_HANDLE) fm_vk.vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
  fm_vk.vkDestroyInstance(instance, NULL);
}

VkResult fm_vk_physical_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices) {
  return fm_vk.vkEnumeratePhysicalDevices(instance, count, devices);
}
