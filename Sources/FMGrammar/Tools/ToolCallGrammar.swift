package import FMText

/// Makes the grammar of an answer that may or must call tools.
///
/// A call is spelled as its form has it, with the name of one of the tools and arguments of that tool's
/// own grammar. Beside calls an answer may be text in which no call begins, or what another grammar says.
package struct ToolCallGrammar: Sendable {
  /// A tool that may be called.
  package struct Tool: Sendable {
    package var name: String
    /// What its arguments may be: a JSON object.
    package var arguments: Grammar

    package init(name: String, arguments: Grammar) {
      self.name = name
      self.arguments = arguments
    }
  }

  /// What an answer may be beside calls.
  package enum Answer: Sendable {
    /// Nothing: it has to call a tool.
    case calls
    /// Any text, which calls may follow.
    case text
    /// What a grammar allows, in place of calls.
    case grammar(Grammar)
  }

  /// The most calls of one answer.
  package static let callLimit = 16

  private let form: ToolCallForm
  private let names: [String]
  private let callLimit: Int
  private var rules: [Rule] = []
  private var calls: [Grammar.Index] = []

  private init(form: ToolCallForm, names: [String], callLimit: Int) {
    self.form = form
    self.names = names
    self.callLimit = callLimit
  }

  /// The grammar of an answer with at most `callLimit` calls, at least 1; `tools` has at least one.
  package static func grammar(
    form: ToolCallForm, tools: [Tool], answer: Answer, callLimit: Int = Self.callLimit
  ) -> Grammar {
    precondition(!tools.isEmpty, "there is no tool to call")
    var builder = ToolCallGrammar(form: form, names: tools.map(\.name), callLimit: callLimit)
    for tool in tools { builder.add(tool) }
    let root = builder.root(answer)
    return Grammar(rules: builder.rules, root: root)
  }

  /// The text in which no call begins, and the states of its automaton that say all of where an answer is.
  ///
  /// Without an opener that is only text that can't become a call any more: a call's beginning may be
  /// spelled in a way that its grammar doesn't allow.
  package static func text(
    form: ToolCallForm, names: [String]
  ) -> (automaton: ByteAutomaton, isPlace: @Sendable (ByteAutomaton.State) -> Bool) {
    guard !form.opener.isEmpty else {
      let automaton = ByteAutomaton.avoidingCalls(of: names, form: form)
      // Any byte but white space and a brace leads there from the start, and nothing leads out.
      let free = automaton.next(0, UInt8(ascii: "x"))
      return (automaton, { $0 == free })
    }
    return (.avoiding(form.recognizedOpener), { _ in true })
  }

  private mutating func add(_ rule: Rule) -> Grammar.Index {
    rules.append(rule)
    return Grammar.Index(rules.count - 1)
  }

  private mutating func add(_ grammar: Grammar) -> Grammar.Index {
    let offset = Grammar.Index(rules.count)
    rules += grammar.rules.map { $0.moved(by: offset) }
    return grammar.root + offset
  }

  private mutating func add(_ tool: Tool) {
    let head = add(.literal(form.head(name: tool.name)))
    let arguments = add(tool.arguments)
    let tail = add(.literal(ToolCallForm.tail))
    calls.append(add(.sequence([head, arguments, tail])))
  }

  private mutating func root(_ answer: Answer) -> Grammar.Index {
    let calls = allCalls()
    switch answer {
    case .calls: return calls
    case .grammar(let grammar):
      let other = add(grammar)
      return add(.choice([other, calls]))
    case .text:
      let text = add(.automaton(Self.text(form: form, names: names).automaton))
      // Without an opener a call is the whole answer.
      let other = form.opener.isEmpty ? calls : add(.sequence([text, calls]))
      return add(.choice([text, other]))
    }
  }

  /// One call, or as many as an answer may have.
  private mutating func allCalls() -> Grammar.Index {
    let any = calls.count == 1 ? calls[0] : add(.choice(calls))
    var parts: [Grammar.Index] = [any]
    if !form.opener.isEmpty { parts.insert(add(.literal(form.opener)), at: 0) }
    if !form.closer.isEmpty { parts.append(add(.literal(form.closer))) }
    let one = parts.count == 1 ? any : add(.sequence(parts))
    guard form.allowsSeveral else { return one }
    let nothing = add(.empty)
    let separator = form.separator.isEmpty ? nothing : add(.literal(form.separator))
    var all = one
    for _ in 1..<max(1, callLimit) {
      let more = add(.sequence([separator, all]))
      all = add(.sequence([one, add(.choice([nothing, more]))]))
    }
    return all
  }
}

extension Rule {
  /// The rule with all the indices in it moved.
  fileprivate func moved(by offset: Grammar.Index) -> Rule {
    switch self {
    case .empty, .literal, .automaton, .string, .token: return self
    case .sequence(let parts): return .sequence(parts.map { $0 + offset })
    case .choice(let parts): return .choice(parts.map { $0 + offset })
    case .array(var array):
      array.prefix = array.prefix.map { $0 + offset }
      array.items = array.items.map { $0 + offset }
      return .array(array)
    case .object(var object):
      for index in object.members.indices { object.members[index].value += offset }
      for index in object.others.indices { object.others[index].value += offset }
      return .object(object)
    }
  }
}
