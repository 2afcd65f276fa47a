package import FMCore
import FMFormats
package import FMText

/// A model's tokenizer and chat template, without its weights: what a prompt of it is made with.
package struct PromptForm: Sendable {
  package let tokenizer: Tokenizer
  private let template: ChatTemplate
  private let options: ChatTemplateOptions

  /// Reads them from a model in the store or at a path.
  ///
  /// - Throws: what finding, reading or understanding the file throws.
  package init(of reference: String) throws {
    let file = try GGUFFile(path: ModelStore().find(reference).path)
    tokenizer = try Tokenizer(TokenizerDescription(gguf: file))
    template = try Runtime.template(of: file)
    options = Runtime.templateOptions(file, tokenizer: tokenizer)
  }

  /// The tokens of a conversation up to where the answer begins.
  ///
  /// - Throws: `TemplateError` for messages that the template refuses.
  package func tokens(_ messages: [ChatMessage]) throws -> [TokenID] {
    var options = options
    options.addGenerationPrompt = true
    let tokens = tokenizer.encode(try template.render(messages, options: options))
    guard tokenizer.addsBeginning, let beginning = tokenizer.beginning, tokens.first != beginning
    else { return tokens }
    return [beginning] + tokens
  }
}
