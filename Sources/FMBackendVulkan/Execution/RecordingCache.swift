/// Recordings by shape; the least recently used goes when there are too many.
struct RecordingCache {
  private struct Entry {
    var shape: RecordingShape
    var commands: VulkanCommands
    var lastUse: Int
  }

  private var entries: [Entry] = []
  private var clock = 0
  private static let most = 48

  /// The recording of a shape, if there is one.
  mutating func find(_ shape: RecordingShape) -> VulkanCommands? {
    clock += 1
    guard let index = entries.firstIndex(where: { $0.shape == shape }) else { return nil }
    entries[index].lastUse = clock
    return entries[index].commands
  }

  /// Keeps a new recording.
  mutating func insert(_ commands: VulkanCommands, for shape: RecordingShape) {
    if entries.count == Self.most,
      let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
    {
      entries.remove(at: oldest)
    }
    entries.append(Entry(shape: shape, commands: commands, lastUse: clock))
  }

  /// Forgets all: addresses have changed.
  mutating func removeAll() { entries.removeAll() }
}
