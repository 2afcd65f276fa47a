/// What the machine did to a trial: heat and memory, as far as the system counts them.
package struct Disturbances {
  private let swappedInPages: Int?
  private let throttleEvents: Int?

  /// More pages than this read back from swap make a trial one of the disk.
  package static let mostSwappedInPages = 256

  /// Reads the counters before the trial.
  package init(_ files: SystemFiles) {
    swappedInPages = files.swappedInPages()
    throttleEvents = files.throttleEvents()
  }

  /// Notes what was counted since.
  package func add(to sample: inout ResourceSample, _ files: SystemFiles) {
    if let before = swappedInPages, let now = files.swappedInPages() {
      sample.swappedInPages = max(0, now &- before)
    }
    if let before = throttleEvents, let now = files.throttleEvents() {
      sample.throttleEvents = max(0, now &- before)
    }
  }

  /// Why a trial with these counts does not count; nil when it does.
  package static func invalidReason(_ sample: ResourceSample) -> String? {
    if let events = sample.throttleEvents, events > 0 {
      return "the processor was throttled by heat"
    }
    if let pages = sample.swappedInPages, pages > mostSwappedInPages {
      return "the machine read memory back from swap"
    }
    return nil
  }
}
