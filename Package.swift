// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// `<toolchain>/usr/lib/swift/host`: the SwiftSyntax modules that ship with the toolchain.
///
/// The process that reads this manifest has a library of that toolchain mapped, and the kernel lists its
/// path. Read through a handle, since a /proc file read by path ends after its first page.
let hostLibraries: String = {
  if let path = Context.environment["SWIFT_HOST_LIBRARIES"] { return path }
  let maps = (try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()) ?? Data()
  let suffix = "/pm/ManifestAPI/libPackageDescription.so"
  for line in String(decoding: maps, as: UTF8.self).split(separator: "\n")
  where line.hasSuffix(suffix) {
    guard let slash = line.firstIndex(of: "/") else { continue }
    return line[slash...].dropLast(suffix.count) + "/host"
  }
  fatalError("cannot find the toolchain's SwiftSyntax; set SWIFT_HOST_LIBRARIES")
}()

/// What a target that uses SwiftSyntax needs beside the usual settings.
let syntaxLinker: [LinkerSetting] = [
  .unsafeFlags(
    ["-L", hostLibraries, "-Xlinker", "-rpath", "-Xlinker", hostLibraries]
      + [
        "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion",
        "SwiftDiagnostics", "SwiftCompilerPluginMessageHandling", "SwiftOperators", "SwiftParser",
        "SwiftParserDiagnostics", "SwiftBasicFormat", "SwiftIfConfig",
      ].map { "-l\($0)" })
]

/// Settings every Swift target shares: Swift 6 language mode, warnings as errors, explicit imports.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The settings of targets that use SwiftSyntax.
let syntax: [SwiftSetting] = strict + [.unsafeFlags(["-I", hostLibraries])]

/// Modules on the hot path are optimized in debug builds too, so that tests finish in minutes.
let hot: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// glslang's static archives in the order they resolve each other; the last four come with them.
let glslangLibraries = [
  "glslang", "MachineIndependent", "GenericCodeGen", "OGLCompiler", "OSDependent", "SPIRV",
  "SPIRV-Tools-opt", "SPIRV-Tools", "glslang-default-resource-limits", "stdc++", "m", "pthread",
]

/// The module table.
///
/// What a module may import is what its row lists; `make check` builds with
/// `--explicit-target-dependency-import-check error`, which makes the rows rules.
let package = Package(
  name: "foundation-models",
  products: [
    .library(name: "FoundationModels", targets: ["FoundationModels"]),
    .executable(name: "fm", targets: ["fm"]),
    .executable(name: "fmbench", targets: ["fmbench"]),
  ],
  targets: [
    // System libraries and C.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CVulkan", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    .target(
      name: "CFMKernels",
      cSettings: [
        // After SwiftPM's own -O0 or -O2, so it wins; contraction off keeps every sum as written.
        .unsafeFlags(["-O3", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"])
      ]),

    // Shaders: the list of variants, the compiler that runs at build time, and what comes of both.
    .target(name: "FMShaderList", path: "Shaders/List", swiftSettings: strict),
    .target(
      name: "CGlslang", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
      linkerSettings: glslangLibraries.map { .linkedLibrary($0) }),
    .target(
      name: "FMShaderCompiler", dependencies: ["CGlslang", "FMShaderList"], swiftSettings: strict),
    .executableTarget(
      name: "fmshaderc", dependencies: ["FMShaderCompiler", "FMShaderList"], swiftSettings: strict),
    .plugin(name: "CompileShaders", capability: .buildTool(), dependencies: ["fmshaderc"]),
    .target(
      name: "FMShaders", path: "Shaders", exclude: ["List", "README.md"], swiftSettings: hot,
      plugins: ["CompileShaders"]),

    // Foundations.
    .target(name: "FMCore", swiftSettings: hot),
    .target(name: "FMFormats", dependencies: ["FMCore"], swiftSettings: hot),
    .target(name: "FMText", dependencies: ["FMCore"], swiftSettings: hot),
    .target(name: "FMGrammar", dependencies: ["FMCore", "FMText"], swiftSettings: hot),
    .target(name: "FMTrace", dependencies: ["FMCore"], swiftSettings: strict),

    // Programs and the back ends that run them.
    .target(name: "FMBackend", dependencies: ["FMCore"], swiftSettings: hot),
    .target(name: "FMOpCases", dependencies: ["FMCore", "FMBackend"], swiftSettings: hot),
    .target(
      name: "FMBackendCPU", dependencies: ["FMCore", "FMBackend", "CFMKernels"],
      swiftSettings: hot),
    .target(
      name: "FMBackendVulkan", dependencies: ["FMCore", "FMBackend", "CVulkan", "FMShaders"],
      swiftSettings: hot),
    .target(
      name: "FMModels", dependencies: ["FMCore", "FMBackend", "FMFormats"], swiftSettings: strict),

    // Engine and composition.
    .target(
      name: "FMEngine",
      dependencies: ["FMCore", "FMBackend", "FMModels", "FMText", "FMGrammar", "FMFormats"],
      swiftSettings: hot),
    .target(
      name: "FMRuntime",
      dependencies: [
        "FMCore", "FMFormats", "FMText", "FMGrammar", "FMTrace", "FMBackend", "FMBackendCPU",
        "FMBackendVulkan", "FMModels", "FMOpCases", "FMEngine",
      ],
      swiftSettings: strict),
    .target(
      name: "FMBench",
      dependencies: [
        "FoundationModels", "FMRuntime", "FMEngine", "FMText", "FMGrammar", "FMTrace", "FMOpCases",
        "FMBackend", "FMCore", "CSQLite",
      ],
      swiftSettings: strict),

    // The public interface and its macros.
    .macro(
      name: "FoundationModelsMacros", swiftSettings: syntax, linkerSettings: syntaxLinker),
    .target(
      name: "FoundationModels",
      dependencies: [
        "FMRuntime", "FMEngine", "FMGrammar", "FMText", "FMTrace", "FMCore",
        "FoundationModelsMacros",
      ],
      swiftSettings: strict),

    // Command lines.
    .target(name: "FMCommand", dependencies: ["FMCore"], swiftSettings: strict),
    .executableTarget(
      name: "fm",
      dependencies: [
        "FMCommand", "FMRuntime", "FMEngine", "FMFormats", "FMText", "FMTrace", "FMCore",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "fmbench",
      dependencies: [
        "FMCommand", "FMBench", "FoundationModels", "FMRuntime", "FMEngine", "FMText", "FMGrammar",
        "FMTrace", "FMBackend", "FMCore",
      ],
      swiftSettings: strict),

    // Examples, run by a test.
    .executableTarget(
      name: "chat", dependencies: ["FoundationModels"], path: "Examples/chat",
      swiftSettings: strict),
    .executableTarget(
      name: "transcripts", dependencies: ["FoundationModels"], path: "Examples/transcripts",
      swiftSettings: strict),
    .executableTarget(
      name: "bring-your-own-provider", dependencies: ["FoundationModels"],
      path: "Examples/bring-your-own-provider", swiftSettings: strict),
    .executableTarget(
      name: "day-planner", dependencies: ["FoundationModels"], path: "Examples/day-planner",
      swiftSettings: strict),
    .executableTarget(
      name: "extract", dependencies: ["FoundationModels"], path: "Examples/extract",
      swiftSettings: strict),

    // Tests mirror Sources.
    .target(
      name: "CFMTestHooks", path: "Tests/CFMTestHooks",
      cSettings: [.unsafeFlags(["-fno-builtin", "-Wall", "-Wextra", "-Werror"])]),
    .target(
      name: "FMTestSupport",
      dependencies: [
        "CFMTestHooks", "FMCore", "FMFormats", "FMBackend", "FMOpCases", "FMModels", "FMText",
      ],
      path: "Tests/FMTestSupport", swiftSettings: hot),
    .testTarget(name: "TidyTests", swiftSettings: strict),
    .testTarget(
      name: "FMCoreTests", dependencies: ["FMCore", "FMTestSupport"], exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "FMFormatsTests",
      dependencies: ["FMFormats", "FMCore", "FMTestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMTextTests",
      dependencies: ["FMText", "FMCore", "FMTestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMGrammarTests",
      dependencies: ["FMGrammar", "FMText", "FMCore", "FMTestSupport"], swiftSettings: strict),
    .testTarget(name: "FMTraceTests", dependencies: ["FMTrace", "FMCore"], swiftSettings: strict),
    .testTarget(
      name: "FMKernelsTests",
      dependencies: ["CFMKernels", "FMCore", "FMTestSupport"],
      exclude: ["Fixtures", "emulated"], swiftSettings: strict),
    .testTarget(
      name: "FMBackendTests",
      dependencies: ["FMBackend", "FMCore", "FMOpCases", "FMTestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMBackendCPUTests",
      dependencies: [
        "FMBackendCPU", "FMBackend", "FMOpCases", "FMCore", "CFMKernels", "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMShadersTests", dependencies: ["FMShaders", "FMShaderList", "FMShaderCompiler"],
      swiftSettings: strict),
    .testTarget(
      name: "FMBackendVulkanTests",
      dependencies: [
        "FMBackendVulkan", "FMBackend", "FMBackendCPU", "FMOpCases", "FMModels", "FMCore",
        "FMTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FMModelsTests",
      dependencies: [
        "FMModels", "FMBackend", "FMBackendCPU", "FMFormats", "FMOpCases", "FMCore",
        "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMEngineTests",
      dependencies: [
        "FMEngine", "FMBackend", "FMBackendCPU", "FMModels", "FMText", "FMGrammar", "FMTrace",
        "FMCore",
        "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMRuntimeTests",
      dependencies: [
        "FMRuntime", "FMEngine", "FMModels", "FMText", "FMFormats", "FMBackend", "FMBackendVulkan",
        "FMOpCases", "FMTrace", "FMCore", "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FoundationModelsMacrosTests", dependencies: ["FoundationModelsMacros"],
      swiftSettings: syntax, linkerSettings: syntaxLinker),
    .testTarget(
      name: "FoundationModelsTests",
      dependencies: [
        "FoundationModels", "FMRuntime", "FMEngine", "FMBackend", "FMText", "FMTrace", "FMCore",
        "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "FMTestSupport", "chat", "transcripts", "bring-your-own-provider", "day-planner", "extract",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FMBenchTests",
      dependencies: [
        "FMBench", "FoundationModels", "FMRuntime", "FMEngine", "FMText", "FMTrace", "FMOpCases",
        "FMBackend", "FMCore", "CSQLite", "FMTestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "FMCommandTests",
      dependencies: ["FMCommand", "FMCore", "FMTestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "FMCore", "FMBackend", "FMRuntime", "FMBench", "FMTestSupport", "fm", "fmbench",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
  ]
)
