/// How a number is taken, in words, and what other programs call it.
package struct MetricDefinition: Sendable, Hashable {
  package var name: String
  package var unit: String
  /// One line.
  package var summary: String
  /// How it is computed from what is stored.
  package var formula: String
  /// What to know before comparing it.
  package var notes: [String]
  /// Other programs' names for it, or for what is easily taken for it.
  package var elsewhere: [String]

  /// Every number, in the order of its happening.
  package static let all: [MetricDefinition] = timing + pace + rates + cache + whole + good + costs

  /// The definition of a name; dashes and underscores are alike.
  package static func named(_ name: String) -> MetricDefinition? {
    let wanted = name.lowercased().split(separator: "-").joined(separator: "_")
    return all.first { $0.name == wanted }
  }

  private static let timing: [MetricDefinition] = [
    MetricDefinition(
      name: "ttft", unit: "ms",
      summary: "Time to first token: from submission until the first output token was chosen.",
      formula: "first_token_ns - submitted_ns",
      notes: [
        "The token counts whatever it is: text, the start of a tool call, a brace.",
        "It is stamped when it is chosen, before any text is made of it or parsed.",
        "In the table it is the first request of a trial, in the state the cell is named after;",
        "ttft_next is the median of the trial's other requests. The two are never mixed.",
        "Of sessions played at the same time it is the median of their first requests.",
      ],
      elsewhere: [
        "vLLM, SGLang: until the first chunk with text arrives at the client",
        "AIPerf: until the first chunk of any kind that is not empty",
        "LLMPerf: until the first chunk with content; unset for an answer that is a tool call",
        "MLX: without template and tokenizer",
        "llama-bench: not reported; pp/n is only its largest part",
      ]),
    MetricDefinition(
      name: "ttft_next", unit: "ms",
      summary: "The median ttft of a trial's requests after the first.",
      formula: "median of first_token_ns - submitted_ns over requests 2 ... n of a trial",
      notes: ["These requests find the session's own prefix in the cache; see hit."],
      elsewhere: []),
    MetricDefinition(
      name: "ttfc", unit: "ms",
      summary: "Time to first content: until there was something to show to a user.",
      formula: "the first first_content_ns of a trial - submitted_ns of its first request",
      notes: [
        "Of text the first snapshot that is not empty, of a structured answer the first with a field.",
        "Requests that only call tools, and the tools, come before it. Session level alone.",
        "Without streaming it is the whole answer's time.",
      ],
      elsewhere: ["AIPerf: TTFO", "GuideLLM: TTFOT, from the request alone"]),
    MetricDefinition(
      name: "queue", unit: "ms", summary: "Wait before the first work on a request.",
      formula: "prefill_start_ns - submitted_ns", notes: ["Part of ttft."],
      elsewhere: ["GuideLLM leaves the time in its own queue out of ttft"]),
    MetricDefinition(
      name: "lateness", unit: "ms",
      summary: "How much later than due the benchmark itself submitted a request.",
      formula: "submitted_ns - scheduled_ns",
      notes: ["Large values mean that the machine was too busy to measure on."],
      elsewhere: []),
  ]

  private static let pace: [MetricDefinition] = [
    MetricDefinition(
      name: "tpot", unit: "ms",
      summary: "Time per output token after the first.",
      formula: "(last_token_ns - first_token_ns) / (n_output - 1); null for fewer than 2 tokens",
      notes: ["In the table: the median over a trial's requests, then over trials."],
      elsewhere: [
        "vLLM, SGLang, MLPerf, inference-perf: TPOT (vLLM counts a one-token answer as 0)",
        "AIPerf, GuideLLM: ITL",
        "GuideLLM's TPOT and inference-perf's NTPOT include the first token's wait",
        "vLLM's ITL is another thing: the gaps between stream chunks",
      ]),
    MetricDefinition(
      name: "gap_p50", unit: "ms",
      summary: "The median time between two output tokens of a trial.",
      formula: "percentile 50 (type 7) of the gaps after each request's first token, pooled",
      notes: ["Null for servers whose pieces are not tokens."],
      elsewhere: ["vLLM, SGLang: median ITL, of stream chunks"]),
    MetricDefinition(
      name: "gap_p95", unit: "ms",
      summary: "The time between two output tokens that 95 of 100 stay below.",
      formula: "percentile 95 (type 7) of the same gaps; null for fewer than 20",
      notes: [], elsewhere: ["vLLM, SGLang: p95 ITL, of stream chunks"]),
    MetricDefinition(
      name: "gap_max", unit: "ms",
      summary: "The longest time between two output tokens of a trial.",
      formula: "the greatest of the same gaps", notes: [], elsewhere: []),
    MetricDefinition(
      name: "gap", unit: "ns",
      summary: "The time between two output tokens; every one is stored.",
      formula: "token_gap.gaps, unpacked as its comment in `fmbench schema` says",
      notes: ["From the engine's own stamps: a token is a token, never a chunk."],
      elsewhere: ["AIPerf: ICL for chunks"]),
  ]

  private static let rates: [MetricDefinition] = [
    MetricDefinition(
      name: "prefill_tps", unit: "tokens/s",
      summary: "Prompt tokens computed a second, cached ones left out.",
      formula: "(n_prompt - n_cached) / (first_token_ns - prefill_start_ns)",
      notes: [
        "In the table: the first request of a trial.",
        "Short prompts are slower a token than long ones; compare equal lengths.",
      ],
      elsewhere: [
        "llama-bench: pp, from decode calls only, without sampling",
        "AIPerf: prompt/ttft, which counts cached tokens as work; that is effective_prompt_tps here",
      ]),
    MetricDefinition(
      name: "effective_prompt_tps", unit: "tokens/s",
      summary: "Prompt tokens a second as the user meets them, cached ones included.",
      formula: "n_prompt / (first_token_ns - submitted_ns)",
      notes: ["Of a trial that of its first request."],
      elsewhere: ["AIPerf: its prefill throughput"]),
    MetricDefinition(
      name: "decode_tps", unit: "tokens/s",
      summary: "Output tokens a second after the first.",
      formula: "sum of (n_output - 1) / sum of (last_token_ns - first_token_ns) over a trial",
      notes: ["Choosing the token and making its text is inside; the three shares say how much."],
      elsewhere: [
        "llama-bench: tg, which feeds random tokens and samples nothing",
        "MLX: (n + 1) tokens over n gaps, so too high by one token",
      ]),
    MetricDefinition(
      name: "output_tps", unit: "tokens/s",
      summary: "Output tokens a second of the whole trial, of all its sessions together.",
      formula: "sum of n_output / task_wall",
      notes: [
        "Everything between is in it: waits, reading prompts, tools and think times (times --gap-scale),",
        "the beginning and the end, when fewer sessions run. Compare equal scenarios.",
      ],
      elsewhere: ["vLLM, SGLang: output token throughput, the ramp included"]),
  ]

  private static let cache: [MetricDefinition] = [
    MetricDefinition(
      name: "hit", unit: "share",
      summary: "Prompt tokens that the prefix cache saved.",
      formula: "sum of n_cached / sum of n_prompt over a trial's requests",
      notes: ["n_cached is inside n_prompt, never beside it."],
      elsewhere: ["vLLM: since the server started, in whole blocks"]),
    MetricDefinition(
      name: "ideal_hit", unit: "share",
      summary: "What hit would be if nothing were ever evicted.",
      formula: "sum of ideal_cached / sum of n_prompt",
      notes: [
        "ideal_cached: the longest prefix shared with anything the trial's sessions had computed when",
        "the request left the queue, at most the prompt without its last token. miss_reason says why a",
        "request got less. Null for servers, whose tokens are not known.",
      ],
      elsewhere: ["AIPerf: theoretical hit rate, in blocks"]),
    MetricDefinition(
      name: "ideal_cached", unit: "tokens",
      summary: "Tokens of a prompt that a prefix cache without limits would have held.",
      formula:
        "the longest prefix shared with what the trial's sessions had computed at prefill_start_ns",
      notes: ["At most the prompt without its last token. n_cached is what the cache gave of it."],
      elsewhere: []),
    MetricDefinition(
      name: "miss_reason", unit: "name",
      summary: "Why the prefix cache gave no more than it did.",
      formula: "the engine's own word, a request",
      notes: [
        "none: all that could be had; cold: nothing was there; evicted: it was there once; prefix_differs:",
        "the prompt goes on otherwise from there; window_gone: a sliding window has passed it; disabled.",
      ],
      elsewhere: []),
    MetricDefinition(
      name: "reuse_efficiency", unit: "share",
      summary: "What the prefix cache gave of what it could have given.",
      formula: "hit / ideal_hit", notes: ["Null where nothing could be had."], elsewhere: []),
  ]

  private static let good: [MetricDefinition] = [
    MetricDefinition(
      name: "good_turns", unit: "share",
      summary: "Turns of a trial that kept an agent's user from waiting.",
      formula: "turns with ttft <= 2000 ms and tpot <= 100 ms in every request, over all turns",
      notes: [
        "A trial with a failed request is invalid and in no share. Other limits are a question to",
        "v_request: SELECT AVG(ttft_ms <= 1000 AND COALESCE(tpot_ms, 0) <= 50) FROM v_request ...",
      ],
      elsewhere: ["vLLM, AIPerf, inference-perf: goodput, requests a second that keep all limits"]),
    MetricDefinition(
      name: "good_sessions", unit: "share",
      summary: "Sessions of a trial of which every turn was good.",
      formula: "as good_turns, of sessions", notes: [], elsewhere: []),
  ]

  private static let whole: [MetricDefinition] = [
    MetricDefinition(
      name: "task_wall", unit: "ms",
      summary: "From the tap to the result: everything a user waits for in one trial.",
      formula: "the last completed_ns - the first scheduled_ns of a trial's requests",
      notes: [
        "model_time and tool_time are inside; the rest is the benchmark's own work.",
        "Of sessions played at the same time it is the time until all are done.",
      ],
      elsewhere: []),
    MetricDefinition(
      name: "model_time", unit: "ms", summary: "The part of task_wall spent in requests.",
      formula: "sum of completed_ns - submitted_ns",
      notes: ["Requests under way at the same time count one by one."], elsewhere: []),
    MetricDefinition(
      name: "tool_time", unit: "ms", summary: "The part of task_wall spent in tools.",
      formula: "sum of ended_ns - started_ns over tool calls",
      notes: ["Tools are sleeps of the script's time multiplied by --gap-scale."], elsewhere: []),
    MetricDefinition(
      name: "handoff_gap", unit: "ms",
      summary: "From a session's last token to the next session's first submission.",
      formula: "submitted_ns of the next session's first request - last_token_ns of the one before",
      notes: [], elsewhere: []),
    MetricDefinition(
      name: "ttft_slope", unit: "ms per 1000 tokens",
      summary: "How ttft grows with the prompt, for as many new tokens.",
      formula: "Theil-Sen slope of ttft over n_prompt in a trial of 8 requests or more",
      notes: [
        "Only pairs of requests count whose n_prompt - n_cached are within 10 % (and 8 tokens) of each",
        "other: a request that computes more waits longer at any depth. Null with fewer than 8 pairs.",
      ], elsewhere: []),
    MetricDefinition(
      name: "tpot_slope", unit: "ms per 1000 tokens",
      summary: "How tpot grows with the prompt.",
      formula: "Theil-Sen slope of tpot over n_prompt in a trial of 8 requests or more",
      notes: [], elsewhere: []),
  ]
}
