import FMTestSupport
import Foundation
import Testing

/// `fm chat` with the real model.
@Suite(.serialized, .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
struct ChatEndToEndTests {
  private let question = "What is the capital of France?"

  /// Whether the program lists a Vulkan device; a software device will do.
  private static let hasVulkan: Bool = {
    let devices = try? CommandRun.run("fm", "devices", "--json")
    return devices?.output.contains("\"vulkan:0\"") == true
  }()

  @Test(
    .enabled(if: hasVulkan, "no Vulkan device"),
    arguments: [[], ["--gpu-layers", "11"], ["--kv", "q8_0"]])
  func `the capital of France is Paris on a Vulkan device too`(options: [String]) throws {
    let answer = try CommandRun.run(
      "fm",
      arguments: [
        "chat", "--device", "vulkan:0", "--prompt", question, "--greedy", "--max-tokens", "12",
      ] + options)
    #expect(answer.status == 0, "\(answer.error)")
    #expect(answer.output.contains("Paris"))
  }

  @Test func `the capital of France is Paris, on one thread and on two`() throws {
    let one = try CommandRun.run(
      "fm", "chat", "--prompt", question, "--greedy", "--max-tokens", "48", "--threads", "1")
    let two = try CommandRun.run(
      "fm", "chat", "--prompt", question, "--greedy", "--max-tokens", "48", "--threads", "2")
    #expect(one.status == 0, "\(one.error)")
    #expect(one.output.contains("Paris"))
    #expect(one.output == two.output)
  }

  @Test func `the same seed gives the same answer and another seed another`() throws {
    func answer(_ seed: String) throws -> String {
      try CommandRun.run(
        "fm", "chat", "--prompt", "Write a line about the sea.", "--seed", seed, "--temperature",
        "1.2", "--max-tokens", "24"
      ).output
    }
    let first = try answer("42")
    #expect(try answer("42") == first)
    #expect(try answer("43") != first)
  }

  @Test func `a conversation from a pipe computes only what each turn adds`() throws {
    let run = try CommandRun.run(
      "fm", "chat", "--greedy", "--max-tokens", "40", "--stats",
      input: "What is the capital of Italy?\nAnd of Japan?\n")
    #expect(run.status == 0, "\(run.error)")
    // The second turn computes what is new only.
    let cached = run.error.split(separator: "\n").compactMap { line in
      line.split(separator: "(").dropFirst().first.flatMap {
        Int($0.prefix { $0.isNumber })
      }
    }
    #expect(cached.count == 2 && cached[0] == 0 && cached[1] >= 30, "\(run.error)")
  }

  @Test func `a prompt longer than the context is refused with both counts`() throws {
    let long = String(repeating: "word ", count: 400)
    let run = try CommandRun.run("fm", "chat", "--prompt", long, "--context", "128")
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("128") && run.error.contains("hint:"), "\(run.error)")
  }
}
