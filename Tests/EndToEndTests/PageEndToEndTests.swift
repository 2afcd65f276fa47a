import FMTestSupport
import Foundation
import Testing

/// The pages that `fm` and `fmbench` print of themselves, and where `make install` puts them.
@Suite struct PageEndToEndTests {
  /// What `--help` says of a program: its commands, each with its options.
  private func declared(_ program: String) throws -> [(command: String, options: [String])] {
    let list = try CommandRun.run(program, "--help").output
    let rows = list.components(separatedBy: "Commands:\n").last ?? ""
    let names = rows.split(separator: "\n").prefix { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    return try names.map { name in
      let help = try CommandRun.run(program, name, "--help").output
      let options = help.components(separatedBy: "\nOptions:\n").last ?? ""
      let names = options.split(separator: "\n").prefix { $0.hasPrefix("  ") }
        .flatMap { $0.split(separator: " ").filter { $0.hasPrefix("--") }.prefix(1) }
      return (name, names.map { String($0.dropFirst(2)) })
    }
  }

  @Test(arguments: ["fm", "fmbench"])
  func `completions and the manual have every command and option`(program: String) throws {
    let declared = try declared(program)
    #expect(declared.count >= 9)
    #expect(declared.suffix(2).map(\.command) == ["completions", "man"])
    let manual = try CommandRun.run(program, "man").output.replacing("\\-", with: "-")
    let scripts = try ["bash", "zsh", "fish"].map {
      try CommandRun.run(program, "completions", $0).output
    }
    for (command, options) in declared {
      #expect(manual.contains(".SS \"\(program) \(command)"))
      #expect(options.contains("help"))
      for option in options {
        #expect(manual.contains("--\(option)\\fR"), "\(command) --\(option)")
        #expect(scripts[0].contains("'--\(option)'"), "\(command) --\(option)")
        #expect(scripts[1].contains("--\(option)"), "\(command) --\(option)")
        #expect(
          scripts[2].contains("-l '\(option)'") || option == "help", "\(command) --\(option)")
      }
    }
    for variable in ["FM_MODELS", "FM_TRACE", "NO_COLOR"] { #expect(manual.contains(variable)) }
  }

  @Test func `bash offers the names of scenarios, metrics, axes and files`() throws {
    let script = """
      source <("$0" completions bash)
      offer() {
        COMP_WORDS=(fmbench "$@"); COMP_CWORD=$#; _fmbench; echo "${COMPREPLY[*]}"
      }
      offer run --scenario one-
      offer run -s one-tool,planner
      offer explain ttft_n
      offer compare --by mod
      offer run --kv ''
      offer grammar ''
      """
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sh")
    defer { try? FileManager.default.removeItem(at: folder) }
    try script.write(to: folder, atomically: true, encoding: .utf8)
    let run = try CommandRun.shell(
      "fmbench", "bash --norc -c \"$(cat '\(folder.path)')\" \"$0\"")
    #expect(
      run.output.split(separator: "\n") == [
        "one-tool", "one-tool,planner-handoff", "ttft_next", "model", "f16 q8_0",
        "masks speed random",
      ], "\(run.error)")
  }

  @Test(arguments: ["fm", "fmbench"])
  func `bash reads its script`(program: String) throws {
    let bash = try CommandRun.shell(program, "\"$0\" completions bash | bash -n")
    #expect(bash.status == 0 && bash.error.isEmpty, "\(bash.error)")
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/groff"), "needs groff"),
    arguments: ["fm", "fmbench"])
  func `troff reads the manual without a warning`(program: String) throws {
    let troff = try CommandRun.shell(program, "\"$0\" man | groff -man -Tutf8 -ww -z")
    #expect(troff.status == 0 && troff.error.isEmpty, "\(troff.error)")
  }

  @Test func `make install puts everything in place, and make uninstall takes it away`() throws {
    let prefix = FileManager.default.temporaryDirectory
      .appending(path: "prefix \(UUID().uuidString)".replacing(" ", with: "-"))
    defer { try? FileManager.default.removeItem(at: prefix) }
    let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let make =
      "env -u MAKEFLAGS make -s -C '\(tree.path)' PREFIX='\(prefix.path)' "
      + "BINARIES=\"$(dirname \"$0\")\" "
    let install = try CommandRun.shell("fm", make + "install")
    #expect(install.status == 0, "\(install.error)")
    for path in [
      "bin/fm", "share/man/man1/fm.1", "share/man/man1/fmbench.1",
      "share/bash-completion/completions/fmbench", "share/zsh/site-functions/_fm",
      "share/fish/vendor_completions.d/fmbench.fish", "share/fmbench/agent-v1/suite.json",
      "share/fmbench/guided/schemas.jsonl", "share/fmbench/pathology/pathology.json",
    ] {
      let size = try? FileManager.default.attributesOfItem(
        atPath: prefix.appending(path: path).path)[.size]
      #expect((size as? Int ?? 0) > 100, "\(path)")
    }
    // The libraries lie beside the built program, so the installed one is told where.
    let list = try CommandRun.shell(
      "fm", "cd / && LD_LIBRARY_PATH=\"$(dirname \"$0\")\" '\(prefix.path)/bin/fmbench' list")
    #expect(list.output.contains("one-tool"), "\(list.error)")
    let uninstall = try CommandRun.shell("fm", make + "uninstall")
    #expect(uninstall.status == 0)
    let left = FileManager.default.enumerator(
      at: prefix, includingPropertiesForKeys: [.isRegularFileKey])
    let files = (left?.allObjects ?? []).compactMap { $0 as? URL }.filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }
    #expect(files.isEmpty, "\(files)")
    let nothing = try CommandRun.shell(
      "fm", make.replacing("BINARIES=", with: "X=") + "BINARIES=/none install")
    #expect(nothing.status != 0 && nothing.error.contains("hint: make release"))
  }
}
