import Foundation

/// The files of a system that decide which Vulkan devices there are.
struct DeviceFiles {
  let manifestFolders: [String]
  let manifests: [DeviceDiagnosis.Manifest]
  let nodes: [DeviceDiagnosis.Node]

  /// Manifests are a few hundred bytes; nothing larger is read.
  private static let maximumManifestBytes = 1 << 16
  private static let maximumFiles = 256

  /// Looks at the file system below `root`; paths are given without it.
  init(root: String, environment: [String: String]) {
    manifestFolders = Self.folders(environment)
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].compactMap { environment[$0] }
      .first { !$0.isEmpty }
    let paths: [String]
    if let named {
      paths = named.split(separator: ":").map(String.init)
    } else {
      let added = (environment["VK_ADD_DRIVER_FILES"] ?? "").split(separator: ":")
      paths =
        added.map(String.init)
        + manifestFolders.flatMap { folder in
          Self.names(in: root + folder).filter { $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
        }
    }
    manifests = paths.prefix(Self.maximumFiles).map { Self.manifest($0, root: root) }
    let nvidia = Self.names(in: root + "/dev").filter(Self.isNVIDIA).map { "/dev/\($0)" }
    let render = Self.names(in: root + "/dev/dri").filter { $0.hasPrefix("renderD") }
      .map { "/dev/dri/\($0)" }
    nodes = (nvidia + render).prefix(Self.maximumFiles).map { path in
      DeviceDiagnosis.Node(
        path: path, isAccessible: access(root + path, R_OK | W_OK) == 0)
    }
  }

  /// `nvidia0`, `nvidia1`, … and the control device.
  private static func isNVIDIA(_ name: String) -> Bool {
    guard name.hasPrefix("nvidia") else { return false }
    let rest = name.dropFirst("nvidia".count)
    return rest == "ctl" || !rest.isEmpty && rest.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
  }

  /// The loader's own order: the user's configuration, the system's, the user's data, the system's.
  private static func folders(_ environment: [String: String]) -> [String] {
    func list(_ name: String, or fallback: String) -> [String] {
      let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? fallback
      return value.split(separator: ":").map(String.init)
    }
    let home = environment["HOME"] ?? ""
    let bases =
      list("XDG_CONFIG_HOME", or: "\(home)/.config") + list("XDG_CONFIG_DIRS", or: "/etc/xdg")
      + ["/etc"] + list("XDG_DATA_HOME", or: "\(home)/.local/share")
      + list("XDG_DATA_DIRS", or: "/usr/local/share:/usr/share")
    var seen: Set<String> = []
    return bases.filter { $0.hasPrefix("/") && seen.insert($0).inserted }
      .map { "\($0)/vulkan/icd.d" }
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Reads `{"ICD": {"library_path": "…"}}`.
  private static func manifest(_ path: String, root: String) -> DeviceDiagnosis.Manifest {
    var manifest = DeviceDiagnosis.Manifest(path: path, library: nil, isSoftware: false)
    guard let file = FileHandle(forReadingAtPath: root + path) else { return manifest }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: maximumManifestBytes),
      let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any],
      let driver = object["ICD"] as? [String: Any]
    else { return manifest }
    manifest.library = driver["library_path"] as? String
    let names = ["lvp", "lavapipe", "swiftshader", "vk_swiftshader"]
    manifest.isSoftware = names.contains { manifest.library?.contains($0) ?? false }
    return manifest
  }
}
