import FMCore

/// Plays single trials whose rows are there, with what is measured around them, and ends the rows.
struct TrialPlayback {
  let store: BenchStore
  let options: RunOptions
  let interruption: Interruption
  /// The energy counters of the arm's device.
  let meter: EnergyMeter
  /// What new texts are numbered from, another number in every run.
  let salt: UInt64
  let observe: (RunEvent) -> Void

  /// Plays one trial.
  ///
  /// - Parameter loadNanoseconds: what loading took that was done for this trial before; its memory is
  ///   then the trial's, too.
  /// - Returns: why the trial is invalid; nil for a valid one.
  /// - Throws: ``StoreError`` alone.
  func play(
    _ script: PlayScript, on arm: BenchArm, _ label: TrialLabel, _ trial: Int,
    loadNanoseconds: UInt64? = nil
  ) async throws -> String? {
    let files = SystemFiles()
    let disturbances = Disturbances(files)
    if loadNanoseconds == nil { files.resetPeakMemory() }
    meter.begin()
    var end = (reason: String?.none, recording: UInt64(0))
    var load = loadNanoseconds
    do {
      let target = try Self.target(of: arm, &load)
      end = try await play(script, on: target, arm, label, trial)
    } catch let error as StoreError {
      throw error
    } catch {
      end.reason = "failed: \(ErrorSentence(error))"
    }
    let ended = MonotonicInstant.now
    let energy = meter.end()
    var sample = files.sample(at: ended)
    sample.energy = energy
    sample.gpuMemoryBytes = arm.deviceMemory?()
    if arm.endpoint != nil {
      // The memory of this program says nothing of a server's.
      (sample.residentBytes, sample.peakResidentBytes) = (nil, nil)
    }
    disturbances.add(to: &sample, files)
    let reason = end.reason ?? Disturbances.invalidReason(sample)
    try store.endTrial(
      trial, ended: ended, invalidReason: reason, recordingNanoseconds: end.recording,
      loadNanoseconds: load, sample: sample)
    return reason
  }

  /// The arm's target, loaded now where every trial gets its own.
  ///
  /// The caller alone holds it, so that the next one is not loaded beside it.
  private static func target(of arm: BenchArm, _ load: inout UInt64?) throws -> BenchTarget {
    switch arm.source {
    case .running(let target): return target
    case .loaded(let makeTarget):
      let start = MonotonicInstant.now
      let target = try makeTarget()
      load = MonotonicInstant.now.nanoseconds - start.nanoseconds
      return target
    case .process: preconditionFailure("another process plays this arm's trials")
    }
  }

  /// Plays a script on a target: why the trial is invalid, and the time spent on writing during it.
  private func play(
    _ script: PlayScript, on target: BenchTarget, _ arm: BenchArm, _ label: TrialLabel,
    _ trial: Int
  ) async throws -> (reason: String?, recording: UInt64) {
    switch (script, target) {
    case (.tokens(let script), .requests(let target)):
      var player = TrialPlayer(
        target: target, store: store, script: script, label: label, trial: trial,
        gapScale: options.gapScale, interruption: interruption, meter: meter, observe: observe)
      return (try await player.play(), player.recordingNanoseconds)
    case (.conversation(let script), .conversations(let target)):
      // A server's cache can't be emptied, so what it is asked is new every time.
      let isNew = arm.endpoint != nil || arm.style.promptForm == .plain
      var player = ConversationTrial(
        target: target, style: arm.style, store: store,
        script: isNew ? script.salted(salt &+ UInt64(label.orderIndex)) : script, label: label,
        trial: trial, options: options, interruption: interruption, meter: meter,
        encoding: arm.encoding, observe: observe)
      return (try await player.play(), player.recordingNanoseconds)
    case (.tokens, .conversations), (.conversation, .requests):
      preconditionFailure("the planner makes the script that the target plays")
    }
  }
}
