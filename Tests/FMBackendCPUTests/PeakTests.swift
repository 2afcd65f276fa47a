import FMBackend
import FMBackendCPU
import Testing

@Suite struct PeakTests {
  @Test(arguments: InstructionSet.allCases.filter(\.isAvailable))
  func `measures a copy and multiply-adds in a plausible range`(set: InstructionSet) throws {
    let peaks = try CPUBackend(threads: 1, instructionSet: set).measuredPeaks()
    // From the slowest board to the largest server: a thousandth and a thousand times this order.
    #expect((1e8...1e14).contains(peaks.copyBytesPerSecond), "\(peaks)")
    #expect((1e8...1e15).contains(peaks.flopsPerSecond), "\(peaks)")
  }
}
