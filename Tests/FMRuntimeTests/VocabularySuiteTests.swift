import FMCore
import FMFormats
import FMRuntime
import FMText
import Foundation
import Testing

/// llama.cpp's vocabulary suites: texts, and the ids its converter found Hugging Face to give.
///
/// `Benchmarks/oracle/fetch_vocab_suites.sh` fetches them.
private enum VocabularySuites {
  static let folder: URL? = {
    if let path = ProcessInfo.processInfo.environment["FM_VOCAB_SUITES"] {
      return URL(filePath: path)
    }
    let cached = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Benchmarks/.cache/vocab-suites").standardized
    return FileManager.default.fileExists(atPath: cached.path) ? cached : nil
  }()

  /// The suites this library encodes exactly.
  static let equal = [
    "gpt-2", "llama-bpe", "qwen2", "qwen35", "llama-spm", "phi-3", "gemma-4", "deepseek-coder",
    "falcon", "mpt", "starcoder", "refact", "command-r",
  ]

  static func tokenizer(_ name: String) throws -> Tokenizer {
    let url = try #require(folder).appending(path: "ggml-vocab-\(name).gguf")
    return try Tokenizer(TokenizerDescription(gguf: GGUFFile(path: url.path)))
  }

  static func cases(_ name: String) throws -> [(text: String, ids: [TokenID])] {
    let base = try #require(folder).appending(path: "ggml-vocab-\(name).gguf")
    let texts = try String(contentsOf: base.appendingPathExtension("inp"), encoding: .utf8)
      .components(separatedBy: "\n__ggml_vocab_test__\n")
    let lines = try String(contentsOf: base.appendingPathExtension("out"), encoding: .utf8)
      .components(separatedBy: "\n")
    return zip(texts, lines).map { text, line in
      (text, line.split(separator: " ").compactMap { TokenID($0) })
    }
  }
}

@Suite(
  .enabled(
    if: VocabularySuites.folder != nil,
    "needs llama.cpp's vocabularies; run Benchmarks/oracle/fetch_vocab_suites.sh"))
struct VocabularySuiteTests {
  @Test(arguments: VocabularySuites.equal)
  func `encodes a public suite exactly and decodes it back`(name: String) throws {
    let tokenizer = try VocabularySuites.tokenizer(name)
    let cases = try VocabularySuites.cases(name)
    #expect(cases.count > 40)
    for (text, expected) in cases {
      let ids = tokenizer.encode(text)
      #expect(ids == expected, "\(name): \(text.debugDescription)")
      #expect(String(decoding: tokenizer.decode(ids), as: UTF8.self) == text)
    }
  }
}
