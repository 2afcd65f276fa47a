extension MetricDefinition {
  /// What a trial costs beside time.
  static let costs: [MetricDefinition] = [
    MetricDefinition(
      name: "load", unit: "ms",
      summary: "From the model file to an engine that answers, for one trial.",
      formula: "load_ns of the trial; run.load_ns is the same for a whole run",
      notes: [
        "Of runs with `--start model` and `--start process`; of the latter from the start of the process",
        "on. What is made when an engine is first used comes after it, in the trial's first ttft: cold,",
        "an answer begins after load + ttft. The file is in the system's page cache.",
      ],
      elsewhere: ["llama-bench leaves it out"]),
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
      name: "energy", unit: "J",
      summary: "What the processor took during a trial, and on a GPU the GPU, too.",
      formula: "sample.joules + sample.gpu_joules",
      notes: [
        "energy_source says what is in it: rapl:package (every package, without the board and its",
        "other chips), hwmon (a sensor chip's sockets), nvml (a GPU of NVIDIA's). Two readings, after",
        "the preparation and at the end, with nothing sampled between; energy_hz is how often the",
        "slowest counter changes. What other programs do is in it, and so is the idle machine:",
        "idle_watts is what that took before the run. Null where nobody tells, and for servers.",
      ],
      elsewhere: ["AIPerf: of the GPU alone, from samples of its power"]),
    MetricDefinition(
      name: "energy_per_token", unit: "J/token", summary: "energy over the tokens of the answers.",
      formula: "energy / sum of n_output",
      notes: ["Reading the prompt is in it: compare equal scenarios."],
      elsewhere: ["AIPerf: J/output token"]),
    MetricDefinition(
      name: "energy_per_session", unit: "J/session",
      summary: "energy over the sessions of a trial.",
      formula: "energy / number of sessions", notes: [],
      elsewhere: ["MLPerf Power: J/query, of the whole system at the plug"]),
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
        "back it is the most since the process began. In runs played in turn both models are in it. With",
        "`--start process` it is of the trial's own process, loading included.",
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
