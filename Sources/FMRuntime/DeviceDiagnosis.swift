package import FMBackendVulkan
import Foundation

/// Why the GPUs of a machine are, or are not, among its devices: what was looked for and found.
package struct DeviceDiagnosis: Sendable, Hashable {
  /// A driver's manifest, which tells the loader what library to open.
  package struct Manifest: Sendable, Hashable {
    package var path: String
    /// The library it names; nil when the file cannot be read or names none.
    package var library: String?
    /// Whether the library is of a software device.
    package var isSoftware: Bool
  }

  /// A device file and whether this process may open it.
  package struct Node: Sendable, Hashable {
    package var path: String
    package var isAccessible: Bool
  }

  /// The loader and how it started.
  package var loader: String
  /// Environment variables that change what the loader looks for, in a fixed order.
  package var variables: [String]
  package var manifests: [Manifest]
  /// Folders without a manifest are looked through too; all of them in the loader's order.
  package var manifestFolders: [String]
  package var nodes: [Node]
  /// What the loader and drivers said.
  package var messages: [String]
  /// What to do, most useful first; empty when hardware is listed and works.
  package var nextSteps: [String]

  /// The variables that matter to the loader.
  private static let variableNames = [
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
  ]

  /// Looks around on a machine whose file system is seen below `root`.
  ///
  /// `vulkan` is how starting Vulkan went and `messages` what was said meanwhile.
  package init(
    vulkan: Result<[VulkanPhysicalDevice], VulkanError>, messages: [String] = [],
    environment: [String: String] = ProcessInfo.processInfo.environment, root: String = ""
  ) {
    let files = DeviceFiles(root: root, environment: environment)
    variables = Self.variableNames.compactMap { name in environment[name].map { "\(name)=\($0)" } }
    manifestFolders = files.manifestFolders
    manifests = files.manifests
    nodes = files.nodes
    self.messages = messages
    loader =
      switch vulkan {
      case .success(let devices):
        "\(VulkanInstance.loaderName) shows \(devices.count == 1 ? "1 device" : "\(devices.count) devices")"
      // The hint would send the reader here.
      case .failure(let error):
        "\(error)".split(separator: "; hint:").first.map(String.init) ?? "\(error)"
      }
    nextSteps = []
    nextSteps = steps(vulkan, environment: environment)
  }

  private func steps(
    _ vulkan: Result<[VulkanPhysicalDevice], VulkanError>, environment: [String: String]
  ) -> [String] {
    let devices = (try? vulkan.get()) ?? []
    let hardware = devices.filter { $0.kind != .software }
    if hardware.contains(where: { $0.missingFeatures.isEmpty }) { return [] }
    var steps: [String] = []
    if case .failure(.loaderMissing) = vulkan {
      steps.append("install the Vulkan loader: apt install libvulkan1")
    }
    for device in hardware {
      steps.append(
        "\(device.name) lacks \(device.missingFeatures.joined(separator: ", ")): install a newer driver"
      )
    }
    steps += overrideSteps(environment) + nodeSteps(environment)
    if steps.isEmpty, !devices.isEmpty {
      steps.append("only software devices are there, which are slower than --device cpu")
    }
    return steps
  }

  /// A variable that names drivers hides all others, also when its files are gone.
  private func overrideSteps(_ environment: [String: String]) -> [String] {
    let names = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
    guard let name = names.first(where: { environment[$0].map { !$0.isEmpty } ?? false }) else {
      return []
    }
    if let gone = manifests.first(where: { $0.library == nil }) {
      return ["\(name) names \(gone.path), which is no driver's manifest: correct or unset it"]
    }
    return ["\(name) hides every other driver: unset it if the device is missing"]
  }

  private func nodeSteps(_ environment: [String: String]) -> [String] {
    let nvidia = nodes.filter { $0.path.hasPrefix("/dev/nvidia") }
    let render = nodes.filter { $0.path.hasPrefix("/dev/dri/renderD") }
    guard !nvidia.isEmpty || !render.isEmpty else {
      return [
        "no GPU reaches this system (neither /dev/nvidia* nor /dev/dri/renderD* exists): "
          + "in a container pass one through (--gpus all, --device /dev/dri), in a VM attach one"
      ]
    }
    var steps: [String] = []
    for node in nodes where !node.isAccessible {
      steps.append(
        "this user may not open \(node.path): join its group (usually 'render' or 'video')")
    }
    let hasNVIDIA = manifests.contains { $0.library?.contains("nvidia") ?? false }
    if !nvidia.isEmpty, !hasNVIDIA {
      steps.append(
        "an NVIDIA device is there but not its Vulkan driver (nvidia_icd.json): in a container set "
          + "NVIDIA_DRIVER_CAPABILITIES=all so that the container toolkit adds 'graphics'; "
          + "elsewhere install the driver with its graphics libraries (libnvidia-gl)")
    }
    let hasHardwareDriver = manifests.contains { $0.library != nil && !$0.isSoftware }
    if nvidia.isEmpty, !hasHardwareDriver {
      steps.append(
        "no driver for the GPU at \(render[0].path): apt install mesa-vulkan-drivers")
    }
    return steps
  }
}
