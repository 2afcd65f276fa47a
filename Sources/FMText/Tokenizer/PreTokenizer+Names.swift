/// What a model file's pre-tokenizer name implies.
package struct PreTokenizerRules: Sendable {
  /// The rule itself.
  package var rule: PreTokenizer
  /// Whether a piece that is a token is taken whole, whatever the merges would make of it.
  package var takesWholePieces = false
  /// Whether a sequence starts with the beginning token where the file doesn't say.
  package var addsBeginning = false
}

extension PreTokenizer {
  /// The rule applied where a file names none or one that is not known.
  package static let fallback = PreTokenizer.staged([
    .punctuationRuns(graveAccent: false), .gpt2, .numberRuns, .digitTriples,
  ])

  /// The rules for the name in `tokenizer.ggml.pre`, or nil where the name is not known.
  package static func named(_ name: String) -> PreTokenizerRules? {
    switch name {
    case "smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b",
      "mellum2":
      PreTokenizerRules(rule: .digitsThenGPT2)
    case "gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "gigachat",
      "a.x-4.0", "mellum", "modern-bert", "exaone4":
      PreTokenizerRules(rule: .gpt2)
    case "llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2":
      PreTokenizerRules(
        rule: .lines(digits: 3, marks: false), takesWholePieces: true, addsBeginning: true)
    case "dbrx", "smaug-bpe", "chatglm-bpe":
      PreTokenizerRules(rule: .lines(digits: 3, marks: false))
    case "glm4", "glm5":
      PreTokenizerRules(rule: .lines(digits: 3, marks: false), takesWholePieces: true)
    case "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan",
      "solar-open", "grok-2":
      PreTokenizerRules(rule: .lines(digits: 1, marks: false))
    case "qwen35":
      PreTokenizerRules(rule: .lines(digits: 1, marks: true))
    case "deepseek-coder":
      PreTokenizerRules(
        rule: .staged([
          .singleLineBreaks, .letterRuns, .spacedPunctuation, .eastAsianRuns, .singleNumbers,
        ]))
    case "falcon":
      PreTokenizerRules(
        rule: .staged([.punctuationRuns(graveAccent: true), .gpt2, .digitTriples]))
    case "default":
      PreTokenizerRules(rule: fallback)
    default:
      nil
    }
  }
}
