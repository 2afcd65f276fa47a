import FMBackendVulkan
import FMRuntime
import Foundation
import Testing

/// What is said about made-up machines.
@Suite struct DeviceDiagnosisTests {
  /// A file system with these files, removed afterwards.
  private func withFiles(
    _ files: [String: String], _ body: (String) throws -> Void
  ) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for path in files.keys.sorted() {
      let url = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((files[path] ?? "").utf8).write(to: url)
    }
    try body(root.path)
  }

  private static func manifest(_ library: String) -> String {
    "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"\(library)\"}}"
  }

  private func device(_ kind: VulkanPhysicalDevice.Kind) -> VulkanPhysicalDevice {
    var device = VulkanPhysicalDevice()
    device.kind = kind
    device.name = "Card"
    return device
  }

  private func diagnosis(
    _ root: String, _ vulkan: Result<[VulkanPhysicalDevice], VulkanError>,
    _ environment: [String: String] = [:]
  ) -> DeviceDiagnosis {
    DeviceDiagnosis(vulkan: vulkan, environment: environment, root: root)
  }

  @Test func `without a loader and a GPU both are said`() throws {
    try withFiles([:]) { root in
      let found = diagnosis(root, .failure(.loaderMissing(path: "l", reason: "gone")))
      #expect(found.manifests.isEmpty && found.nodes.isEmpty)
      #expect(found.nextSteps.count == 2)
      #expect(found.nextSteps.first?.contains("apt install libvulkan1") == true)
      #expect(found.nextSteps.last?.contains("no GPU reaches this system") == true)
      #expect(found.manifestFolders.contains("/usr/share/vulkan/icd.d"))
      #expect(found.manifestFolders.contains("/etc/vulkan/icd.d"))
    }
  }

  @Test func `an NVIDIA device without its Vulkan driver leads to the container's setting`() throws
  {
    try withFiles([
      "dev/nvidia0": "", "dev/nvidiactl": "", "dev/nvidia-uvm": "",
      "usr/share/vulkan/icd.d/lvp_icd.json": Self.manifest("libvulkan_lvp.so"),
    ]) { root in
      let found = diagnosis(
        root, .success([device(.software)]), ["NVIDIA_DRIVER_CAPABILITIES": "compute,utility"])
      #expect(found.nodes.map(\.path) == ["/dev/nvidia0", "/dev/nvidiactl"])
      #expect(found.manifests.map(\.isSoftware) == [true])
      #expect(found.variables == ["NVIDIA_DRIVER_CAPABILITIES=compute,utility"])
      #expect(found.nextSteps.count == 1)
      #expect(found.nextSteps.first?.contains("NVIDIA_DRIVER_CAPABILITIES=all") == true)
    }
  }

  @Test func `a GPU without any driver leads to Mesa`() throws {
    try withFiles(["dev/dri/renderD128": "", "dev/dri/card0": ""]) { root in
      let found = diagnosis(root, .failure(.noDriver(code: -9)))
      #expect(found.nodes.map(\.path) == ["/dev/dri/renderD128"])
      #expect(found.nextSteps.first?.contains("apt install mesa-vulkan-drivers") == true)
    }
  }

  @Test func `a variable that hides drivers is named, more so when its file is gone`() throws {
    let files = [
      "dev/dri/renderD128": "", "opt/icd.json": Self.manifest("libvulkan_radeon.so"),
      "usr/share/vulkan/icd.d/other.json": Self.manifest("libvulkan_intel.so"),
    ]
    try withFiles(files) { root in
      let hidden = diagnosis(root, .failure(.noDevices), ["VK_DRIVER_FILES": "/opt/icd.json"])
      #expect(hidden.manifests.map(\.path) == ["/opt/icd.json"])
      #expect(hidden.nextSteps.first?.hasPrefix("VK_DRIVER_FILES hides") == true)
      let gone = diagnosis(root, .failure(.noDevices), ["VK_ICD_FILENAMES": "/opt/none.json"])
      #expect(gone.manifests.first?.library == nil)
      #expect(gone.nextSteps.first?.contains("correct or unset it") == true)
    }
  }

  @Test func `a GPU that lacks features is named with them`() throws {
    try withFiles(["dev/dri/renderD128": ""]) { root in
      let found = diagnosis(root, .success([device(.discrete)]))
      #expect(found.nextSteps.first?.hasPrefix("Card lacks Vulkan 1.2,") == true)
    }
  }

  @Test func `manifests that are no manifests are listed as such`() throws {
    let folder = "etc/vulkan/icd.d/"
    let files = [
      folder + "a.json": "", folder + "b.json": "[1]", folder + "c.json": "{\"ICD\": 3}",
      folder + "d.json": "{\"ICD\": {\"library_path\": 7}}", folder + "e.txt": "no",
      folder + "f.json": String(repeating: "[", count: 100_000),
    ]
    try withFiles(files) { root in
      let found = diagnosis(root, .failure(.noDevices))
      #expect(found.manifests.count == 5)
      #expect(found.manifests.allSatisfy { $0.library == nil })
    }
  }
}
