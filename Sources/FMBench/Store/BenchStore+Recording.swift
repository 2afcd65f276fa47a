import Foundation
package import FMCore

extension BenchStore {
  /// Records the start of a run with its model and environment.
  package func beginRun(
    _ run: RunRow, model: ModelRow, environment: HostEnvironment
  ) throws(StoreError) -> Int {
    try database.transaction { () throws(StoreError) in
      try insert(model)
      let id = try insert(run)
      try insert(environment, run: id)
      return id
    }
  }

  /// Records how a run ended.
  package func endRun(
    _ id: Int, status: RunStatus, error: String? = nil, environment: HostEnvironment? = nil
  ) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      try database.run(
        "UPDATE run SET ended = ?, status = ?, error = ? WHERE id = ?",
        [.text(Self.timestamp()), .text(status.rawValue), .string(error), .int(id)])
      guard let environment else { return }
      try database.run(
        "UPDATE environment SET temperature_end_c = ?, load_1m_end = ? WHERE run_id = ?",
        [.number(environment.temperatureCelsius), .number(environment.loadAverage), .int(id)])
    }
  }

  /// Records one combination of what is varied.
  package func addCell(_ cell: CellRow, run: Int) throws(StoreError) -> Int {
    try database.run(
      """
      INSERT INTO cell (run_id, scenario, variant, state, device, device_name, threads, ubatch,
        kv_type, masks, params, trials_planned, device_kind, scenario_sha, primary_family)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(run), .text(cell.scenario), .text(cell.variant), .text(cell.state.rawValue),
        .text(cell.device), .text(cell.deviceName), .int(cell.threads), .int(cell.maximumRows),
        .string(cell.kvType), .text(cell.masks), .text(cell.parameters), .int(cell.plannedTrials),
        .text(cell.deviceKind), .string(cell.scenarioSHA), .bool(cell.isPrimary),
      ])
  }

  /// Records that a trial began; it counts only once ``endTrial(_:ended:invalidReason:sample:)`` ran.
  package func beginTrial(
    cell: Int, repetition: Int, orderIndex: Int, isWarmUp: Bool, started: MonotonicInstant,
    loadAverage: Double?
  ) throws(StoreError) -> Int {
    try database.run(
      """
      INSERT INTO trial (cell_id, rep, order_index, phase, started, started_ns, load_1m)
        VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(cell), .int(repetition), .int(orderIndex), .text(isWarmUp ? "warmup" : "measured"),
        .text(Self.timestamp()), .unsigned(started.nanoseconds), .number(loadAverage),
      ])
  }

  /// Records that a trial ended; a reason makes it invalid.
  package func endTrial(
    _ id: Int, ended: MonotonicInstant, invalidReason: String?, recordingNanoseconds: UInt64 = 0,
    loadNanoseconds: UInt64? = nil, sample: ResourceSample
  ) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      try database.run(
        """
        UPDATE trial SET ended_ns = ?, valid = ?, invalid_reason = ?, recording_ns = ?, load_ns = ?
          WHERE id = ?
        """,
        [
          .unsigned(ended.nanoseconds), .bool(invalidReason == nil), .string(invalidReason),
          .unsigned(recordingNanoseconds), .unsigned(loadNanoseconds), .int(id),
        ])
      try database.run(
        """
        INSERT INTO sample (trial_id, t_ns, rss_bytes, peak_rss_bytes, temperature_c, frequency_mhz,
          swapped_in_pages, throttle_events, gpu_mem_bytes, joules, gpu_joules, energy_source)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .int(id), .unsigned(sample.at.nanoseconds), .int(sample.residentBytes),
          .int(sample.peakResidentBytes), .number(sample.temperatureCelsius),
          .number(sample.frequencyMegahertz), .int(sample.swappedInPages),
          .int(sample.throttleEvents), .int(sample.gpuMemoryBytes), .number(sample.energy.joules),
          .number(sample.energy.gpuJoules), .string(sample.energy.source),
        ])
    }
  }

  /// Whether a trial's end is recorded, and why it is invalid where it is.
  func end(ofTrial id: Int) throws(StoreError) -> (isStored: Bool, invalidReason: String?) {
    let row = try database.rows(
      "SELECT ended_ns IS NOT NULL, invalid_reason FROM trial WHERE id = ?", [.int(id)]
    ).first
    return (row?.bool(0) ?? false, row?.string(1))
  }

  /// Records that a session of a trial began.
  package func addSession(
    trial: Int, number: Int, name: String, prefixTokens: Int
  ) throws(StoreError) -> Int {
    try database.run(
      "INSERT INTO session (trial_id, number, name, prefix_tokens) VALUES (?, ?, ?, ?)",
      [.int(trial), .int(number), .text(name), .int(prefixTokens)])
  }

  /// Records a finished request with the stamps of its tokens, in one transaction.
  package func addRequest(_ request: RequestRow, session: Int) throws(StoreError) -> Int {
    try database.transaction { () throws(StoreError) in
      let id = try insert(request, session: session)
      guard !request.tokenStamps.isEmpty else { return id }
      try database.run(
        "INSERT INTO token_gap (request_id, count, gaps) VALUES (?, ?, ?)",
        [
          .int(id), .int(request.tokenStamps.count),
          .blob(TokenGaps.encode(request.tokenStamps, from: request.submitted)),
        ])
      return id
    }
  }

  /// Records what a request's prompt was by a later count.
  package func setPrompt(
    of request: Int, tokens: Int, expected: Int, template: Int
  ) throws(StoreError) {
    try database.run(
      "UPDATE request SET n_prompt = ?, expected_prompt = ?, n_template = ? WHERE id = ?",
      [.int(tokens), .int(expected), .int(template), .int(request)])
  }

  /// Records what caches without limits would have held of requests' prompts, in one transaction.
  package func setIdealCached(
    of requests: [(id: Int, tokens: Int)]
  ) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      for (id, tokens) in requests {
        try database.run(
          "UPDATE request SET ideal_cached = ? WHERE id = ?", [.int(tokens), .int(id)])
      }
    }
  }

  /// Records a finished tool call of a request.
  package func addToolCall(_ call: ToolCallRow, request: Int) throws(StoreError) -> Int {
    try database.run(
      """
      INSERT INTO tool_call (request_id, number, name, args_hash, started_ns, ended_ns, injected_ms,
        out_tokens, repeat_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(request), .int(call.number), .text(call.name), .string(call.argumentsHash),
        .unsigned(call.started.nanoseconds), .unsigned(call.ended.nanoseconds),
        .number(call.injectedMilliseconds), .int(call.outputTokens), .int(call.repeatOf),
      ])
  }

  private func insert(_ model: ModelRow) throws(StoreError) {
    try database.run(
      """
      INSERT INTO model (sha256, name, arch, quant, params, bytes, ctx) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (sha256) DO NOTHING
      """,
      [
        .text(model.sha256), .text(model.name), .string(model.architecture),
        .string(model.quantization), .int(model.parameters), .int(model.bytes),
        .int(model.trainedContext),
      ])
  }

  private func insert(_ run: RunRow) throws(StoreError) -> Int {
    try database.run(
      """
      INSERT INTO run (uuid, started, status, pid, tool_version, engine_commit, dirty, commit_source,
        build, label, argv, seed, gap_scale, suite, suite_sha, profile, level, mode, model_sha,
        context, load_ns, load_memory, interleaving, arm, injected, policy, streaming, prefix_edit,
        prompt_form, start, endpoint, energy_source, energy_hz, idle_watts)
        VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
          ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(run.uuid), .text(Self.timestamp()),
        .int(Int(ProcessInfo.processInfo.processIdentifier)), .text(run.build.version),
        .string(run.build.commit), .bool(run.build.isDirty), .text(run.build.source.rawValue),
        .text(run.build.configuration), .string(run.label), .text(Self.json(run.arguments)),
        .integer(Int64(bitPattern: run.seed)), .real(run.gapScale), .text(run.suite),
        .text(run.suiteSHA), .text(run.profile), .text(run.style.level.rawValue),
        .text(run.style.mode.rawValue), .text(run.modelSHA), .int(run.context),
        .unsigned(run.loadNanoseconds), .int(run.loadMemoryBytes), .string(run.interleaving),
        .string(run.arm), .string(run.injected),
      ] + Self.values(of: run.style) + [
        .string(run.endpoint), .string(run.energy?.source), .number(run.energy?.hertz),
        .number(run.energy?.idleWatts),
      ])
  }

  /// Of the columns policy, streaming, prefix_edit, prompt_form and start.
  private static func values(of style: PlayStyle) -> [SQLValue] {
    let isSession = style.level == .session
    return [
      .string(isSession ? style.policy.rawValue : nil), .bool(isSession ? style.isStreaming : nil),
      .text(style.prefixEdit.rawValue), .text(style.promptForm.rawValue),
      .text(style.start.rawValue),
    ]
  }

  private func insert(_ host: HostEnvironment, run: Int) throws(StoreError) {
    try database.run(
      """
      INSERT INTO environment (run_id, host, cpu, cpu_flags, cores_online, cores_usable,
        cores_physical, governor, frequency_mhz, memory_bytes, memory_available_bytes,
        swap_used_bytes, kernel, os, container, virtual, power_source, temperature_c, load_1m,
        device_details, gpu, driver, vk_api, instruction_set)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(run), .string(host.host), .string(host.cpu),
        .text(host.cpuFlags.joined(separator: " ")), .int(host.onlineCores),
        .int(host.usableCores), .int(host.physicalCores), .string(host.governor),
        .number(host.frequencyMegahertz), .int(host.memoryBytes),
        .int(host.availableMemoryBytes), .int(host.usedSwapBytes), .string(host.kernel),
        .string(host.operatingSystem), .string(host.container), .bool(host.isVirtual),
        .string(host.powerSource), .number(host.temperatureCelsius), .number(host.loadAverage),
        .text(Self.json(host.deviceDetails)), .string(host.gpu), .string(host.driver),
        .string(host.vulkanVersion), .string(host.instructionSet),
      ])
  }

  func insert(_ request: RequestRow, session: Int) throws(StoreError) -> Int {
    try database.run(
      """
      INSERT INTO request (session_id, number, role, turn, step, output_kind, scheduled_ns,
        submitted_ns, prefill_start_ns, first_token_ns, last_token_ns, completed_ns, n_prompt,
        n_cached, n_template, n_output, expected_prompt, expected_output, ideal_cached, miss_reason,
        finish, error, sampling_ns, first_content_ns, cache_reported, constraint_ns, text_ns,
        stream_pieces)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .int(session), .int(request.number), .text(request.role.rawValue), .int(request.turn),
        .int(request.step), .text(request.outputKind), .unsigned(request.scheduled.nanoseconds),
        .unsigned(request.submitted.nanoseconds), .unsigned(request.prefillStart?.nanoseconds),
        .unsigned(request.firstToken?.nanoseconds), .unsigned(request.lastToken?.nanoseconds),
        .unsigned(request.completed.nanoseconds), .int(request.promptTokens),
        .int(request.cachedTokens), .int(request.templateTokens), .int(request.outputTokens),
        .int(request.expectedPrompt), .int(request.expectedOutput), .int(request.idealCached),
        .string(request.missReason), .string(request.finish), .string(request.error),
        .unsigned(request.samplingNanoseconds), .unsigned(request.firstContent?.nanoseconds),
        .bool(request.isCacheReported), .unsigned(request.constraintNanoseconds),
        .unsigned(request.textNanoseconds), .int(request.streamPieces),
      ])
  }

  private static func json(_ strings: [String]) -> String {
    let bytes = (try? JSONEncoder().encode(strings)) ?? Data("[]".utf8)
    return String(decoding: bytes, as: UTF8.self)
  }
}
