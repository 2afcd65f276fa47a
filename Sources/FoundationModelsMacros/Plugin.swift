@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The plug-in's entry point: answers the compiler's requests to expand macros.
///
/// The toolchain ships the message listener, but not the `CompilerPlugin` protocol that usually wraps it.
@main
struct Plugin: PluginProvider {
  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    switch typeName {
    case "GenerableMacro": GenerableMacro.self
    case "GuideMacro": GuideMacro.self
    case "SessionPropertyEntryMacro": SessionPropertyEntryMacro.self
    default: throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
  }

  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: Plugin()).main()
  }
}

/// The compiler asked for a macro that this plug-in does not have.
struct UnknownMacro: Error { var name: String }
