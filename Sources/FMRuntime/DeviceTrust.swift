import FMBackend
package import FMBackendVulkan
package import FMCore
package import Foundation

/// Remembers which devices have passed their self-test, with which driver and for which types.
///
/// The first model of a type on a device runs a few op cases. Where some fail, optional paths are
/// turned off one after another until all pass; a device that fails without them is refused. What
/// was found is kept in a file, by driver version and by the version of the kernels.
package struct DeviceTrust: Sendable {
  /// Raised whenever a kernel changes, so that devices are tested again.
  private static let kernelVersion = 1

  /// What is known of one device with one driver.
  private struct Entry: Codable {
    var types: [String] = []
    var disabled: [String] = []
  }

  /// How a device is tested for weights of some types.
  package typealias Test =
    @Sendable (_ backend: VulkanBackend, _ types: [ElementType]) -> DeviceSelfTest.Report

  private let file: URL?
  private let test: Test

  /// Keeps results in `file`, or nowhere where it is nil.
  ///
  /// The test is the quick self-test unless another is given.
  package init(
    file: URL?,
    test: @escaping Test = { backend, types in DeviceSelfTest.quick(types: types).run(on: backend) }
  ) {
    self.file = file
    self.test = test
  }

  /// The file of this user: `vulkan/self-tests.json` below ``VulkanPipelineCacheFile/defaultFolder``.
  package static var ofUser: DeviceTrust {
    DeviceTrust(
      file: VulkanPipelineCacheFile.defaultFolder.map {
        URL(filePath: $0).appending(path: "vulkan/self-tests.json")
      })
  }

  /// A back end with the paths that are known to work for weights of these types.
  ///
  /// `notes` says what was tested and what was turned off, a line each.
  /// - Throws: ``LoadError/deviceUnavailable(selector:reason:)`` when the device gives wrong results.
  package func tested(
    _ backend: VulkanBackend, types: [ElementType], notes: inout [String]
  ) throws(LoadError) -> VulkanBackend {
    let key = "\(Self.kernelVersion):\(backend.identity)"
    var known = read()
    var entry = known[key] ?? Entry()
    let missing = types.filter { !entry.types.contains($0.rawValue) }
    var options = backend.options
    for path in VulkanOptions.OptionalPath.allCases where entry.disabled.contains(path.rawValue) {
      options.disable(path)
    }
    if !missing.isEmpty {
      try settle(&options, backend, missing, &entry)
      entry.types += missing.map(\.rawValue)
      known[key] = entry
      write(known)
    }
    for path in entry.disabled {
      notes.append("\(backend.device.name) fails its self-test with \(path), which is turned off")
    }
    return backend.with(options)
  }

  /// Turns paths off until the cases pass.
  private func settle(
    _ options: inout VulkanOptions, _ backend: VulkanBackend, _ types: [ElementType],
    _ entry: inout Entry
  ) throws(LoadError) {
    var report = test(backend.with(options), types)
    for path in VulkanOptions.OptionalPath.allCases where !entry.disabled.contains(path.rawValue) {
      if report.failures.isEmpty { return }
      var fewer = options
      fewer.disable(path)
      if fewer == options { continue }
      let again = test(backend.with(fewer), types)
      guard again.failures.count < report.failures.count else { continue }
      (options, report) = (fewer, again)
      entry.disabled.append(path.rawValue)
    }
    guard let first = report.failures.first else { return }
    throw .deviceUnavailable(
      selector: backend.device.selector,
      reason: "it gives wrong results (\(report.failures.count) of \(report.ran) op cases; "
        + "\(first))\nhint: another driver version may help")
  }

  private func read() -> [String: Entry] {
    guard let file, let data = try? Data(contentsOf: file), data.count < 1 << 20 else { return [:] }
    return (try? JSONDecoder().decode([String: Entry].self, from: data)) ?? [:]
  }

  /// A result that cannot be kept costs a test at the next load, nothing else.
  private func write(_ entries: [String: Entry]) {
    guard let file else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? encoder.encode(entries).write(to: file, options: .atomic)
  }
}

extension Devices {
  /// The back end of a selector, tested for weights of the program's types where it is a GPU.
  ///
  /// `FM_SELF_TEST=0` in the environment leaves the test out.
  static func testedBackend(
    _ selector: String, threads: Int?, types: [ElementType], notes: inout [String]
  ) throws(LoadError) -> any Backend {
    let backend = try backend(selector, threads: threads)
    guard let vulkan = backend as? VulkanBackend,
      ProcessInfo.processInfo.environment["FM_SELF_TEST"] != "0"
    else { return backend }
    return try DeviceTrust.ofUser.tested(vulkan, types: types, notes: &notes)
  }
}
