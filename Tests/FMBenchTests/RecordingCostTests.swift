import FMBench
import FMCore
import Foundation
import Testing

@Suite struct RecordingCostTests {
  @Test func `recording costs less than 40 µs a token`() throws {
    let folder = try TemporaryFolder()
    let cost = try RecordingCost.measure(folder: folder.url.path)
    let (median, quick, processor) = (
      cost.microsecondsPerToken, cost.quickMicrosecondsPerRequest / Double(cost.tokens),
      cost.processorMicrosecondsPerRequest / Double(cost.tokens)
    )
    print(
      "recording, µs a token: median \(median), tenth percentile \(quick), processor \(processor); "
        + "\(cost.bytesPerRequest) bytes a request of \(cost.tokens) tokens")
    // The median waits for whatever else the machine does, so it is no bound for a test.
    #expect(processor > 0 && processor <= 40)
    #expect(quick <= median && quick <= 40)
    #expect(cost.bytesPerRequest > 60)
    // Nothing is left behind.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }
}
