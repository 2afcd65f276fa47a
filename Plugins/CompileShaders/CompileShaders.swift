import Foundation
import PackagePlugin

/// Compiles the variants of `Shaders/` into one Swift file of the target.
@main
struct CompileShaders: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let folder = target.sourceModule?.directoryURL else { return [] }
    let output = context.pluginWorkDirectoryURL.appending(path: "CompiledShaders.swift")
    let inputs =
      try files(in: folder, named: "comp")
      + files(in: folder.appending(path: "include"), named: "glsl")
      + files(in: folder.appending(path: "List"), named: "swift")
    return [
      .buildCommand(
        displayName: "Compiling shaders",
        executable: try context.tool(named: "fmshaderc").url,
        arguments: [folder.path(percentEncoded: false), output.path(percentEncoded: false)],
        inputFiles: inputs,
        outputFiles: [output])
    ]
  }

  private func files(in folder: URL, named ending: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == ending }
      .sorted { $0.path < $1.path }
  }
}
