/// Why a chat template could not be read or rendered.
package enum TemplateError: Error, Equatable, Sendable {
  /// The template's text does not follow the grammar; `line` counts from 1.
  case syntax(line: Int, reason: String)
  /// The template uses what this interpreter lacks; every name found is listed, in source order.
  case unsupported([String])
  /// The template itself refused the conversation by calling `raise_exception`.
  case raised(String)
  /// The template refused a system message that is not the first message.
  case refusedSystemMessage(index: Int, reason: String)
  /// An expression used a value that does not exist.
  case undefined(line: Int, what: String)
  /// An operation got a value it cannot work on.
  case invalidOperation(line: Int, reason: String)
  /// A bound of `TemplateLimits` was reached.
  case limitExceeded(TemplateLimit, limit: Int)
  /// The plain form has no place for this part of a conversation.
  case unsupportedByPlainForm(String)
}

/// The bounds a rendering can run into.
package enum TemplateLimit: String, Sendable, Equatable {
  case steps, depth, outputBytes, textBytes, allocatedBytes, elements, sourceBytes
}

extension TemplateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .syntax(let line, let reason):
      "chat template, line \(line): \(reason)"
    case .unsupported(let names):
      "chat template uses what this interpreter lacks: \(names.joined(separator: ", "))"
    case .raised(let message):
      "chat template refused the conversation: \(message)"
    case .refusedSystemMessage(let index, let reason):
      "chat template refused the system message at index \(index): \(reason)\n"
        + "hint: put all instructions into one system message at the start"
    case .undefined(let line, let what):
      "chat template, line \(line): \(what)"
    case .invalidOperation(let line, let reason):
      "chat template, line \(line): \(reason)"
    case .limitExceeded(let which, let limit):
      "chat template reached its limit of \(limit) for \(which.rawValue)"
    case .unsupportedByPlainForm(let what):
      "the model has no chat template, and the plain form has no place for \(what)"
    }
  }
}
