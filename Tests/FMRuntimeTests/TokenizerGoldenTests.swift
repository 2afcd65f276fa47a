import FMCore
import FMFormats
import FMRuntime
import FMTestSupport
import FMText
import Foundation
import Testing

/// Ids of 2,000 texts by PyPI `tokenizers` and `sentencepiece`, from
/// `Benchmarks/oracle/tokenizer_goldens.py`.
struct TokenizerGoldenTests {
  private func tokenizer(_ url: URL?) throws -> Tokenizer {
    let path = try #require(url).path
    return try Tokenizer(TokenizerDescription(gguf: GGUFFile(path: path)))
  }

  private func compare(_ name: String, _ tokenizer: Tokenizer) throws -> Int {
    let golden = try String(contentsOf: Fixtures.url(name), encoding: .utf8)
    var compared = 0
    for line in golden.split(separator: "\n") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      let text = try JSONDecoder().decode(String.self, from: Data(columns[0].utf8))
      let expected = columns[1].split(separator: " ").compactMap { TokenID($0) }
      #expect(tokenizer.encode(text) == expected, "\(columns[0])")
      compared += 1
    }
    return compared
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `SmolLM2's ids equal those of PyPI tokenizers`() throws {
    #expect(try compare("tokenizer-smollm2.tsv", tokenizer(Fixtures.smolLM2)) == 2000)
  }

  @Test(.enabled(if: Fixtures.gemma3 != nil, "needs Gemma 3 270M; run `fm pull`"))
  func `Gemma 3's ids equal those of PyPI sentencepiece`() throws {
    #expect(try compare("tokenizer-gemma3.tsv", tokenizer(Fixtures.gemma3)) == 2000)
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `no id of SmolLM2 decodes to a marker, and its turns end`() throws {
    let tokenizer = try tokenizer(Fixtures.smolLM2)
    for id in 0..<TokenID(tokenizer.vocabularySize) {
      let text = String(decoding: tokenizer.decode([id]), as: UTF8.self)
      #expect(!text.contains("Ġ") && !text.contains("Ċ") && !text.contains("<0x"))
    }
    #expect(tokenizer.endOfGeneration == [0, 2])
    #expect(tokenizer.beginning == 1)
    #expect(!tokenizer.addsBeginning)
  }
}
