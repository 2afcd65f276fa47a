import Foundation
import Testing

/// The import rules of Documentation/ARCHITECTURE.md that the build cannot express.
@Suite struct ModuleTableTests {
  /// Modules that may name a concrete back end.
  private let composition: Set<String> = ["FMRuntime", "FMBackendCPU", "FMBackendVulkan"]

  @Test func `only the composition root names a concrete back end`() {
    for file in SourceTree.files("swift", in: ["Sources"]) {
      let module = file.path.split(separator: "/")[1]
      guard !composition.contains(String(module)) else { continue }
      for line in file.lines where line.contains("import ") {
        #expect(!line.contains("FMBackendCPU"), "\(file.path) imports a back end")
        #expect(!line.contains("CFMKernels"), "\(file.path) imports the kernels")
        #expect(!line.contains("FMBackendVulkan"), "\(file.path) imports a back end")
        #expect(!line.contains("CVulkan"), "\(file.path) imports Vulkan")
      }
    }
  }

  @Test func `the core and the back end interface do not import Foundation`() {
    for file in SourceTree.files("swift", in: ["Sources/FMCore", "Sources/FMBackend"]) {
      for line in file.lines {
        #expect(!line.hasSuffix("import Foundation"), "\(file.path) imports Foundation")
      }
    }
  }
}
