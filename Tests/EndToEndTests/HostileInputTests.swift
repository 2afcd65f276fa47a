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
    let inspect = try CommandRun.measured("fm", "inspect", path)
    let chat = try CommandRun.measured("fm", "chat", "--model", path, "--prompt", "hi")
    let bench = try CommandRun.measured(
      "fmbench", "run", "--model", path, "--quick", "--db", ":memory:")
    for (run, cost) in [inspect, chat, bench] {
      #expect(run.status == 1, "\(run.error)")
      #expect(run.error.hasPrefix("error: "), "\(run.error)")
      #expect(run.output.isEmpty)
      // Processor time: other tests run at the same time.
      #expect(cost.processorSeconds < 1)
      #expect(cost.peakBytes < 100_000_000)
    }
  }

  @Test(arguments: ["fm", "fmbench"], ["> /dev/full", ">&-"])
  func `results that cannot be written are a failure`(product: String, redirection: String) throws {
    let run = try CommandRun.shell(product, "\"$0\" --version \(redirection)")
    #expect(run.status == 1)
    #expect(run.error.hasPrefix("error: cannot write the output: "), "\(run.error)")
  }

  @Test func `a reader that has seen enough is no failure`() throws {
    let run = try CommandRun.shell("fm", "\"$0\" chat --help | head -c 10; echo; echo $?")
    #expect(run.error.isEmpty, "\(run.error)")
  }

  @Test func `names that steer a terminal are shown, not obeyed`() throws {
    let run = try CommandRun.run("fm", "inspect", "./\u{1B}[2J\u{7}\u{202E}x")
    #expect(run.status == 1)
    #expect(
      run.error.hasPrefix("error: no file at ./\\u{1b}[2J\\u{7}\\u{202e}x\nhint: "), "\(run.error)")
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
  func `more tokens than the context holds are no rate`() throws {
    let run = try CommandRun.run("fmbench", "speed", "--decode", "1000000")
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("1000002 tokens"), "\(run.error)")
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
