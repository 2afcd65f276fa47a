import FMTestSupport
import Foundation
import Testing

/// What the commands say when what they are given is wrong.
@Suite struct HostileInputTests {
  /// Every hostile model file of FMFormatsTests.
  static let models: [String] = {
    let folder = Fixtures.folder().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "FMFormatsTests/Fixtures/bad-gguf")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".gguf") && !$0.hasPrefix("ok") }
      .map { folder.appending(path: $0).path }
  }()

  @Test(arguments: models)
  func `a hostile model file gets a typed error within a second`(path: String) throws {
    let inspect = try CommandRun.run("fm", "inspect", path)
    let chat = try CommandRun.run("fm", "chat", "--model", path, "--prompt", "hi")
    let bench = try CommandRun.run("fmbench", "run", "--model", path, "--db", ":memory:")
    for run in [inspect, chat, bench] {
      #expect(run.status == 1, "\(run.error)")
      #expect(run.error.hasPrefix("error: "), "\(run.error)")
      #expect(run.output.isEmpty)
      #expect(run.seconds < 1.5)
    }
  }

  @Test func `an unknown model names what to do next`() throws {
    let run = try CommandRun.run("fm", "chat", "--model", "no-such-model", "--prompt", "hi")
    #expect(run.status == 1)
    #expect(run.error.contains("no-such-model") && run.error.contains("fm pull"), "\(run.error)")
  }

  @Test(arguments: [
    ["--threads", "0"], ["--threads", "-1"], ["--context", "1"], ["--seed", "x"],
  ])
  func `a number out of range is a usage error`(arguments: [String]) throws {
    let run = try CommandRun.run("fm", "chat", "--prompt", "hi", arguments[0], arguments[1])
    #expect(run.status == 64)
    #expect(run.error.contains(arguments[0]), "\(run.error)")
  }

  @Test(arguments: ["fm", "fmbench"])
  func `every command has help with an example`(product: String) throws {
    let help = try CommandRun.run(product, "--help")
    #expect(help.status == 0)
    let commands =
      product == "fm"
      ? ["chat", "inspect", "models", "perplexity", "pull", "tokenize"]
      : ["list", "run", "show", "speed"]
    for command in commands {
      #expect(help.output.contains(command))
      let page = try CommandRun.run(product, command, "--help")
      #expect(page.status == 0)
      #expect(page.output.contains("\(product) \(command)"), "\(page.output)")
    }
  }
}
