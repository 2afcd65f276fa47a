extension MetricDefinition {
  /// What a trial costs beside time.
  static let costs: [MetricDefinition] = [
    MetricDefinition(
      name: "sampler_share", unit: "share",
      summary: "The part of decoding that goes into choosing tokens.",
      formula: "sum of sampling_ns (n_output - 1) / n_output, over sum of (last - first)_token_ns",
      notes: [
        "The three shares do not overlap; what is left of 1 is the model's own work, and waiting for",
        "other requests in a step. Null for servers, which do not tell.",
      ],
      elsewhere: ["llama-bench leaves all three out of tg"]),
    MetricDefinition(
      name: "grammar_share", unit: "share",
      summary: "The part of decoding that goes into the grammar: masks, forced tokens, endings.",
      formula: "as sampler_share, of constraint_ns",
      notes: ["0 where no grammar holds the answer, as in scripted runs with masks off."],
      elsewhere: []),
    MetricDefinition(
      name: "detokenizer_share", unit: "share",
      summary: "The part of decoding that goes into making text of tokens and handing it over.",
      formula: "as sampler_share, of text_ns", notes: [], elsewhere: []),
    MetricDefinition(
      name: "load_time", unit: "ms", summary: "From the file to a model that answers.",
      formula: "run.load_ns",
      notes: ["Once a run and in no other number. load_memory is what it took beyond the file."],
      elsewhere: ["MLX leaves it out; many programs count it into the first request"]),
    MetricDefinition(
      name: "peak_memory", unit: "MB",
      summary: "The most memory of this process that was resident during a trial, in 10^6 bytes.",
      formula: "sample.peak_rss_bytes: VmHWM, set back when the trial begins",
      notes: [
        "Pages of the model's file that were touched are in it. Where the system refuses to set it",
        "back it is the most since the process began. In runs played in turn both models are in it.",
      ],
      elsewhere: ["MLX: peak memory, of the GPU's allocator"]),
    MetricDefinition(
      name: "gpu_memory", unit: "MB",
      summary: "Memory of the device that this process holds at a trial's end, in 10^6 bytes.",
      formula: "sample.gpu_mem_bytes: Vulkan's heapUsage of the device's own heaps",
      notes: ["Null for processors and for drivers without VK_EXT_memory_budget."],
      elsewhere: ["nvidia-smi and AIPerf count what other programs hold, too"]),
  ]
}
