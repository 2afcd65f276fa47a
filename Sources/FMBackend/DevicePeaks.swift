/// What a device reaches in the two simplest programs there are: what op timings are held against.
package struct DevicePeaks: Sendable, Hashable, Codable {
  /// Bytes read plus bytes written a second by a copy that is larger than caches.
  package var copyBytesPerSecond: Double
  /// Additions and multiplications a second of f32 multiply-adds in registers, in independent chains.
  package var flopsPerSecond: Double

  package init(copyBytesPerSecond: Double, flopsPerSecond: Double) {
    self.copyBytesPerSecond = copyBytesPerSecond
    self.flopsPerSecond = flopsPerSecond
  }
}

/// A back end that can measure the limits of its device.
package protocol PeakMeasuring: Backend {
  /// Measures both rates with the back end's own means, the best of a few tries; about a second.
  ///
  /// - Throws: ``BackendError`` when memory is short or the device fails.
  func measuredPeaks() throws(BackendError) -> DevicePeaks
}
