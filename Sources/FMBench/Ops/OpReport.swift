package import FMBackend
import Foundation

/// The timings of a device with what it reaches at most.
package struct OpReport: Sendable, Codable {
  package var selector: String
  package var device: String
  /// A `DeviceDescription.Kind`.
  package var kind: String
  package var details: [String]
  /// `release` or `debug`.
  package var build: String
  /// Nil where the back end measures none.
  package var peaks: DevicePeaks?
  package var timings: [OpTiming]

  package init(device: DeviceDescription, peaks: DevicePeaks?, timings: [OpTiming]) {
    selector = device.selector
    self.device = device.name
    kind = device.kind.rawValue
    details = device.details
    build = BuildIdentity.configuration
    self.peaks = peaks
    self.timings = timings
  }

  /// Headings of the table; the first column is words, the others numbers.
  package static let headings = [
    "op case", "time µs", "least … most", "GB/s", "of copy", "GFLOP/s", "of FMA",
  ]

  /// A row for every case that has a time.
  package var rows: [[String]] {
    timings.compactMap { timing in
      guard let seconds = timing.seconds else { return nil }
      let least = timing.samples.min() ?? seconds
      let most = timing.samples.max() ?? seconds
      return [
        timing.name + (timing.scope == .step ? " (whole step)" : ""), micro(seconds),
        micro(max(0, least)) + " … " + micro(most), giga(timing.bytesPerSecond),
        share(timing.bytesPerSecond, of: peaks?.copyBytesPerSecond), giga(timing.flopsPerSecond),
        share(timing.flopsPerSecond, of: peaks?.flopsPerSecond),
      ]
    }
  }

  /// Lines above the table: the device and its limits.
  package var header: [String] {
    let label = DeviceDescription.Kind.label(stored: kind) ?? kind
    var lines = ["\(device) (" + ([selector, label] + details).joined(separator: ", ") + ")"]
    if let peaks {
      lines.append(
        "copy \(giga(peaks.copyBytesPerSecond)) GB/s, read and written; multiply-adds in registers "
          + "\(giga(peaks.flopsPerSecond)) GFLOP/s, f32")
    } else {
      lines.append("this back end measures no limits of its device")
    }
    if build != "release" { lines.append("a debug build: kernels are optimized, the rest is not") }
    return lines
  }

  /// Lines below the table: what is timed, and the cases without a time.
  package var notes: [String] {
    var notes = [
      "One op: a step with many of it less a step with one; the median of the samples.",
      "GB/s counts what the op must read and write once, GFLOP/s what it must add and multiply;",
      "an op in the caches, or one that only reads, can go beyond the copy's rate, and integer",
      "products beyond that of f32 multiply-adds.",
    ]
    if kind == DeviceDescription.Kind.softwareGPU.rawValue {
      notes.append("A software GPU is a processor playing one: its times say nothing of hardware.")
    }
    var problems: [(text: String, names: [String])] = []
    for timing in timings {
      guard let problem = timing.problem else { continue }
      if let known = problems.firstIndex(where: { $0.text == problem }) {
        problems[known].names.append(timing.name)
      } else {
        problems.append((problem, [timing.name]))
      }
    }
    for (text, names) in problems {
      notes.append(names.count == 1 ? "\(names[0]): \(text)" : "\(names.count) cases: \(text)")
    }
    return notes
  }

  /// The report as JSON, keys sorted, with a line feed at the end; rates are added to each timing.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  private func micro(_ seconds: Double) -> String { ComparisonText.significant(seconds * 1e6) }

  private func giga(_ rate: Double?) -> String {
    rate.map { ComparisonText.significant($0 / 1e9) } ?? "–"
  }

  private func share(_ rate: Double?, of peak: Double?) -> String {
    guard let rate, let peak, peak > 0 else { return "–" }
    return ComparisonText.significant(rate / peak * 100) + " %"
  }
}
