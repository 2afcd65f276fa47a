// The part of Vulkan that FMBackendVulkan uses.
//
// The loader (libvulkan.so.1) is opened at run time, so that programs start on machines without Vulkan. Calls
// whose structures form pNext chains are flattened here; policy (which device, which memory, what a failure means)
// is Swift's. Nothing here allocates for the caller or keeps pointers to arguments after it returns.
#ifndef FM_VULKAN_H
#define FM_VULKAN_H

#define VK_NO_PROTOTYPES
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

enum { FM_VK_TEXT = 256, FM_VK_UUID = 16, FM_VK_HEAPS = 16, FM_VK_TYPES = 32, FM_VK_FAMILIES = 16 };

// ---- Loader and instance ----

// Opens the loader at `path` and finds its entry points. Idempotent after a success: a later call with any path that
// can be opened keeps the first. On failure false, with the dynamic linker's words in `message`. Calls are serialized
// by the caller.
bool fm_vk_load(const char *path, char *message, size_t capacity);

// What the validation layer and the loader have to say; `text` lives during the call, which may come on any thread.
typedef void (*fm_vk_message)(void *context, bool is_error, const char *text);

// Creates an instance for Vulkan 1.3. With `validation` the Khronos layer is on when it is installed, which
// `*has_validation` tells. Messages go to `callback` until the instance is destroyed.
VkResult fm_vk_create_instance(
    bool validation, fm_vk_message callback, void *context, VkInstance *instance,
    VkDebugUtilsMessengerEXT *messenger, bool *has_validation);
void fm_vk_destroy_instance(VkInstance instance, VkDebugUtilsMessengerEXT messenger);

// Fills at most `*count` handles and sets it to how many there are.
VkResult fm_vk_physical_devices(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices);

// ---- Physical devices ----

typedef struct { uint64_t size, budget, usage; bool is_device_local; } fm_vk_heap;
typedef struct { VkMemoryPropertyFlags flags; uint32_t heap; } fm_vk_memory_type;
typedef struct { VkQueueFlags flags; uint32_t queues, timestamp_bits; } fm_vk_queue_family;

typedef struct {
  char name[FM_VK_TEXT], driver_name[FM_VK_TEXT], driver_text[FM_VK_TEXT];
  uint8_t device_uuid[FM_VK_UUID], pipeline_cache_uuid[FM_VK_UUID];
  uint32_t type, vendor_id, device_id, driver_version, api_version, driver_id;
  bool has_pci, has_budget;
  uint32_t pci_domain, pci_bus, pci_device, pci_function;

  uint64_t max_storage_buffer_range, max_memory_allocation, max_buffer_size;
  uint32_t max_allocations, max_push_constants, max_shared_memory, max_workgroup_invocations;
  uint32_t max_workgroup_count[3], max_workgroup_size[3];
  float timestamp_period;

  uint32_t subgroup_size, min_subgroup_size, max_subgroup_size, subgroup_operations;
  bool subgroup_in_compute, subgroup_size_control, full_subgroups, required_subgroup_size;

  bool float16, int8, int16, int64, storage8, storage16, device_address, timeline, scalar_layout;
  bool integer_dot, integer_dot_accelerated, synchronization2, host_query_reset, memory_model;
  bool subgroup_extended_types;

  uint32_t heap_count, type_count, family_count;
  fm_vk_heap heaps[FM_VK_HEAPS];
  fm_vk_memory_type types[FM_VK_TYPES];
  fm_vk_queue_family families[FM_VK_FAMILIES];
} fm_vk_record;

// Everything Swift decides by. Devices below Vulkan 1.2 have only names, ids, heaps and families filled.
void fm_vk_describe(VkPhysicalDevice device, fm_vk_record *record);

// Fresh budgets for the heaps of a record that has budgets; otherwise the record is left as it is.
void fm_vk_refresh_budgets(VkPhysicalDevice device, fm_vk_record *record);

// Members of a record's arrays.
static inline const char *fm_vk_name(const fm_vk_record *r) { return r->name; }
static inline const char *fm_vk_driver_name(const fm_vk_record *r) { return r->driver_name; }
static inline const char *fm_vk_driver_text(const fm_vk_record *r) { return r->driver_text; }
static inline fm_vk_heap fm_vk_heap_at(const fm_vk_record *r, uint32_t i) { return r->heaps[i]; }
static inline fm_vk_memory_type fm_vk_type_at(const fm_vk_record *r, uint32_t i) { return r->types[i]; }
static inline fm_vk_queue_family fm_vk_family_at(const fm_vk_record *r, uint32_t i) { return r->families[i]; }

// ---- Devices and queues ----

// Creates a device with one queue of `family`, with every feature of the record switched on.
VkResult fm_vk_create_device(
    VkPhysicalDevice physical, const fm_vk_record *record, uint32_t family, VkDevice *device, VkQueue *queue);
void fm_vk_destroy_device(VkDevice device);
VkResult fm_vk_wait_idle(VkDevice device);

VkResult fm_vk_create_timeline(VkDevice device, VkSemaphore *semaphore);
void fm_vk_destroy_semaphore(VkDevice device, VkSemaphore semaphore);
VkResult fm_vk_timeline_value(VkDevice device, VkSemaphore semaphore, uint64_t *value);
// VK_SUCCESS, VK_TIMEOUT or an error.
VkResult fm_vk_wait(VkDevice device, VkSemaphore semaphore, uint64_t value, uint64_t nanoseconds);
// Submits `commands`, which signal `value` when done.
VkResult fm_vk_submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value);

// ---- Memory ----

// A buffer that fills an allocation of its own.
typedef struct {
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceAddress address;
  void *mapped;  // NULL when the type cannot be mapped
} fm_vk_block;

// Which memory types a storage buffer may live in, one bit each.
VkResult fm_vk_buffer_types(VkDevice device, uint32_t *types);
// Makes a block of `size` bytes in memory type `type`. On failure nothing is left behind.
VkResult fm_vk_create_block(VkDevice device, uint64_t size, uint32_t type, bool map, fm_vk_block *block);
void fm_vk_destroy_block(VkDevice device, fm_vk_block block);

// ---- Pipelines ----

typedef struct {
  const uint32_t *words;
  size_t word_count;
  const uint32_t *constants;  // specialization constants 0, 1, 2, … of 32 bits each
  uint32_t constant_count;
  uint32_t push_bytes;
  uint32_t subgroup_size;  // 0: the driver's choice
  bool full_subgroups;
} fm_vk_pipeline_source;

VkResult fm_vk_create_pipeline(
    VkDevice device, VkPipelineCache cache, const fm_vk_pipeline_source *source, VkPipelineLayout *layout,
    VkPipeline *pipeline);
void fm_vk_destroy_pipeline(VkDevice device, VkPipelineLayout layout, VkPipeline pipeline);

VkResult fm_vk_create_pipeline_cache(VkDevice device, const void *bytes, size_t count, VkPipelineCache *cache);
// With NULL `bytes` sets `*count` to the size; otherwise fills at most `*count` bytes.
VkResult fm_vk_pipeline_cache_bytes(VkDevice device, VkPipelineCache cache, size_t *count, void *bytes);
void fm_vk_destroy_pipeline_cache(VkDevice device, VkPipelineCache cache);

// ---- Commands ----

// A command buffer with a pool of its own.
VkResult fm_vk_create_commands(VkDevice device, uint32_t family, VkCommandPool *pool, VkCommandBuffer *commands);
void fm_vk_destroy_commands(VkDevice device, VkCommandPool pool);
VkResult fm_vk_begin(VkDevice device, VkCommandPool pool, VkCommandBuffer commands);
VkResult fm_vk_end(VkCommandBuffer commands);
void fm_vk_bind(VkCommandBuffer commands, VkPipeline pipeline);
void fm_vk_push(VkCommandBuffer commands, VkPipelineLayout layout, const void *bytes, uint32_t count);
void fm_vk_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z);
void fm_vk_copy(
    VkCommandBuffer commands, VkBuffer source, uint64_t source_offset, VkBuffer target, uint64_t target_offset,
    uint64_t count);
void fm_vk_fill(VkCommandBuffer commands, VkBuffer buffer, uint64_t offset, uint64_t count, uint32_t word);
void fm_vk_barrier(
    VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
    VkAccessFlags read);

VkResult fm_vk_create_queries(VkDevice device, uint32_t count, VkQueryPool *pool);
void fm_vk_destroy_queries(VkDevice device, VkQueryPool pool);
void fm_vk_reset_queries(VkCommandBuffer commands, VkQueryPool pool, uint32_t count);
void fm_vk_timestamp(VkCommandBuffer commands, VkQueryPool pool, uint32_t index);
// VK_NOT_READY while a query is unwritten.
VkResult fm_vk_query_results(VkDevice device, VkQueryPool pool, uint32_t count, uint64_t *ticks);

#endif
