import FMShaderCompiler
import FMShaderList
import Foundation

/// `fmshaderc FOLDER OUTPUT`: compiles every shader variant into one Swift file.
@main
struct Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      report("usage: fmshaderc FOLDER OUTPUT")
      exit(2)
    }
    var compiler = ShaderCompiler(folder: URL(filePath: arguments[1]))
    do {
      let text = try compiler.library(ShaderVariant.all)
      try Data(text.utf8).write(to: URL(filePath: arguments[2]), options: .atomic)
    } catch {
      report("\(error)")
      exit(1)
    }
  }

  private static func report(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
