internal import FMCore
internal import Glibc

/// Compiled pipelines on disk, for one device and driver.
///
/// The file has a header of ours with a checksum before the driver's bytes: drivers check little of
/// what they are given. Whatever does not match is ignored, and written anew.
package struct VulkanPipelineCacheFile: Sendable, Hashable {
  /// Larger caches are neither read nor written.
  package static let maximumBytes: Int = 64 << 20

  package let path: String
  private let folder: String
  private let identity: [UInt8]
  private static let magic: [UInt8] = Array("FMVKPC1\n".utf8)
  private static let digestBytes = 64

  /// `$FM_CACHE`, else `foundation-models` below `$XDG_CACHE_HOME` or `~/.cache`; nil without a home.
  package static var defaultFolder: String? {
    func value(_ name: String) -> String? {
      guard let text = getenv(name).map({ String(cString: $0) }), text.hasPrefix("/") else {
        return nil
      }
      return text
    }
    if let folder = value("FM_CACHE") { return folder }
    if let folder = value("XDG_CACHE_HOME") { return folder + "/foundation-models" }
    return value("HOME").map { $0 + "/.cache/foundation-models" }
  }

  /// The file of a device below `folder`.
  package init(folder: String, device: VulkanPhysicalDevice) {
    self.folder = folder + "/vulkan"
    var identity: [UInt8] = []
    for number in [device.vendorID, device.deviceID, device.driverVersion] {
      withUnsafeBytes(of: number.littleEndian) { identity.append(contentsOf: $0) }
    }
    identity.append(contentsOf: device.pipelineCacheUUID)
    self.identity = identity
    let name = SHA256.hexDigest(identity).prefix(16)
    path = "\(self.folder)/pipelines-\(name).bin"
  }

  /// The driver's bytes of an earlier run; nil when there are none that fit this device and are whole.
  package func read() -> [UInt8]? {
    guard let bytes = contents() else { return nil }
    let header = Self.magic + identity
    let start = header.count + Self.digestBytes
    guard bytes.count > start, bytes.starts(with: header) else { return nil }
    let payload = bytes[start...]
    guard bytes[header.count..<start].elementsEqual(SHA256.hexDigest(payload).utf8),
      hasDriverHeader(payload)
    else { return nil }
    return Array(payload)
  }

  /// Puts the driver's bytes on disk under the final name at once; nothing happens where that fails.
  package func write(_ payload: [UInt8]) {
    guard payload.count <= Self.maximumBytes, makeFolders() else { return }
    let bytes = Self.magic + identity + Array(SHA256.hexDigest(payload).utf8) + payload
    let temporary = "\(path).\(getpid()).tmp"
    guard let file = fopen(temporary, "wbe") else { return }
    let written = fwrite(bytes, 1, bytes.count, file)
    let isClosed = fclose(file) == 0
    guard written == bytes.count, isClosed, rename(temporary, path) == 0 else {
      unlink(temporary)
      return
    }
  }

  /// `VkPipelineCacheHeaderVersionOne`: length, version, vendor, device and the driver's identifier.
  private func hasDriverHeader(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.count >= 32 else { return false }
    let header = Array(payload.prefix(32))
    let version = header[4..<8]
    return header[0] == 32 && header[1..<4].allSatisfy { $0 == 0 }
      && version.elementsEqual([1, 0, 0, 0])
      && header[8..<16].elementsEqual(identity[0..<8])
      && header[16..<32].elementsEqual(identity[12...])
  }

  private func contents() -> [UInt8]? {
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    var status = stat()
    let limit = Self.maximumBytes + 128
    guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0, status.st_size <= limit
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: status.st_size)
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { return nil }
    return bytes
  }

  /// Creates the folder and those above it.
  private func makeFolders() -> Bool {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      if mkdir(path, 0o755) != 0, errno != EEXIST { return false }
    }
    return true
  }
}
