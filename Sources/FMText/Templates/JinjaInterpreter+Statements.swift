extension JinjaInterpreter {
  func execute(_ body: [JinjaStatement]) throws(TemplateError) -> Flow {
    try enter()
    for statement in body {
      let flow = try execute(statement)
      if flow != .normal {
        leave()
        return flow
      }
    }
    leave()
    return .normal
  }

  private func execute(_ statement: JinjaStatement) throws(TemplateError) -> Flow {
    try spend()
    line = statement.line
    switch statement.kind {
    case .text(let text): try write(text)
    case .output(let expression): try write(text(of: evaluate(expression)))
    case .choice(let branches, let otherwise):
      for branch in branches where try evaluate(branch.condition).isTrue {
        return try execute(branch.body)
      }
      return try execute(otherwise)
    case .loop(let loop): try run(loop)
    case .set(let target, let expression): try assign(evaluate(expression), to: target)
    case .setBlock(let target, let filters, let body):
      try assign(filtered(body, by: filters), to: target)
    case .macro(let macro):
      try capture(scope)
      scope.names[macro.name] = .callable(.macro(JinjaClosure(macro: macro, scope: scope)))
    case .callBlock(let macro, let call): try runCallBlock(macro, call: call)
    case .filterBlock(let filters, let body):
      try write(text(of: filtered(body, by: filters)))
    case .with(let assignments, let body): return try run(assignments, body)
    case .generation(let body):
      return try within(JinjaScope(parent: scope)) { () throws(TemplateError) in
        try execute(body)
      }
    case .break: return .leaveLoop
    case .continue: return .nextItem
    }
    return .normal
  }

  /// The text `body` writes, through `filters`.
  private func filtered(
    _ body: [JinjaStatement], by filters: [JinjaPostfix]
  ) throws(TemplateError) -> JinjaValue {
    let captured = try capturing { () throws(TemplateError) in
      try within(JinjaScope(parent: scope)) { () throws(TemplateError) in
        _ = try execute(body)
      }
    }
    var value = JinjaValue.string(captured)
    for filter in filters { value = try apply(filter, to: value) }
    return value
  }

  private func run(
    _ assignments: [JinjaAssignment], _ body: [JinjaStatement]
  ) throws(TemplateError) -> Flow {
    var values: [JinjaValue] = []
    for assignment in assignments { values.append(try evaluate(assignment.value)) }
    return try within(JinjaScope(parent: scope)) { () throws(TemplateError) in
      for (assignment, value) in zip(assignments, values) {
        try assign(value, to: assignment.target)
      }
      return try execute(body)
    }
  }

  private func runCallBlock(
    _ macro: JinjaMacro, call: JinjaExpression
  ) throws(TemplateError) {
    guard case .postfix(let callee, let postfixes) = call, case .call(let written) = postfixes.last
    else { throw invalid("a call block needs a call") }
    let function = try evaluate(.postfix(callee, Array(postfixes.dropLast())))
    var arguments = try evaluate(written)
    try capture(scope)
    arguments.caller = JinjaClosure(macro: macro, scope: scope)
    try write(text(of: self.call(function, arguments)))
  }

  // MARK: Assignment

  func assign(_ value: JinjaValue, to target: JinjaTarget) throws(TemplateError) {
    switch target {
    case .name(let name):
      scope.names[name] = value
    case .attribute(let owner, let name):
      guard case .namespace(let namespace)? = scope.value(of: owner) else {
        throw invalid("can't set attribute '\(name)' of '\(owner)', which is no namespace")
      }
      guard !name.hasPrefix("_") else {
        throw invalid("a namespace can't hold '\(name)': names can't start with an underscore")
      }
      namespace.set(name, to: value)
    case .tuple(let targets):
      let items = try elements(of: value)
      guard items.count == targets.count else {
        throw invalid("can't unpack \(items.count) values into \(targets.count) names")
      }
      for (item, target) in zip(items, targets) { try assign(item, to: target) }
    }
  }

  // MARK: Loops

  private func run(_ loop: JinjaLoop) throws(TemplateError) {
    try run(loop, over: evaluate(loop.sequence), in: scope, depth: 1)
  }

  /// Runs a loop over `sequence`; `depth` counts from 1 in recursive loops.
  func run(
    _ loop: JinjaLoop, over sequence: JinjaValue, in outer: JinjaScope, depth: Int
  ) throws(TemplateError) {
    var items = try elements(of: sequence)
    if let filter = loop.filter { items = try select(items, in: loop, by: filter, outer: outer) }
    guard !items.isEmpty else {
      try within(JinjaScope(parent: outer)) { () throws(TemplateError) in
        _ = try execute(loop.otherwise)
      }
      return
    }
    let state = JinjaLoopState(
      items: items, depth: depth, recursion: loop.isRecursive ? (loop, outer) : nil)
    var inner = JinjaScope(parent: outer)
    for (index, item) in items.enumerated() {
      try spend()
      // A scope that no macro holds serves the next item too.
      if inner.isCaptured {
        inner = JinjaScope(parent: outer)
      } else {
        inner.names.removeAll(keepingCapacity: true)
      }
      state.index = index
      let flow = try within(inner) { () throws(TemplateError) in
        inner.names["loop"] = .loop(state)
        try assign(item, to: loop.target)
        return try execute(loop.body)
      }
      if flow == .leaveLoop { break }
    }
  }

  private func select(
    _ items: [JinjaValue], in loop: JinjaLoop, by filter: JinjaExpression, outer: JinjaScope
  ) throws(TemplateError) -> [JinjaValue] {
    let inner = JinjaScope(parent: outer)
    return try within(inner) { () throws(TemplateError) in
      var kept: [JinjaValue] = []
      for item in items {
        inner.names = [:]
        try assign(item, to: loop.target)
        if try evaluate(filter).isTrue { kept.append(item) }
      }
      return kept
    }
  }
}
