/// Runs a template once: its variables, its output so far and what it has used of its limits.
///
/// Scopes that macros captured and all namespaces are kept in lists and emptied at the end, so
/// that references in a circle or in a long chain cost neither memory nor stack.
final class JinjaInterpreter {
  enum Flow { case normal, leaveLoop, nextItem }

  private let limits: TemplateLimits
  let date: TemplateDate?
  var scope = JinjaScope(parent: nil)
  /// What is being rendered: the prompt, or the body of a macro or block that captures it.
  private(set) var output = ProvenanceText()
  var line = 1
  private var steps = 0
  private var allocatedBytes = 0
  private var depth = 0
  private var capturedScopes: [JinjaScope] = []
  private var namespaces: [JinjaNamespace] = []

  init(limits: TemplateLimits, date: TemplateDate?) {
    self.limits = limits
    self.date = date
    for global in JinjaGlobal.allCases where global != .strftimeNow || date != nil {
      scope.names[global.rawValue] = .callable(.global(global))
    }
    scope = JinjaScope(parent: scope)
  }

  deinit {
    for scope in capturedScopes { scope.names = [:] }
    for namespace in namespaces { namespace.clear() }
  }

  func run(_ program: JinjaProgram) throws(TemplateError) -> ProvenanceText {
    _ = try execute(program.body)
    return output
  }

  // MARK: Limits

  /// Counts work: one per element or evaluation.
  @inline(__always)
  func spend(_ count: Int = 1) throws(TemplateError) {
    steps &+= count
    if steps > limits.steps { throw .limitExceeded(.steps, limit: limits.steps) }
  }

  /// Counts a look at `bytes` bytes of text.
  func spend(bytes: Int) throws(TemplateError) { try spend(1 + bytes / 32) }

  /// Counts a new string of `bytes` bytes before it is made; nil stands for a size that overflows.
  func reserve(bytes: Int?) throws(TemplateError) {
    guard let bytes, bytes <= limits.textBytes else {
      throw .limitExceeded(.textBytes, limit: limits.textBytes)
    }
    allocatedBytes += bytes
    if allocatedBytes > limits.allocatedBytes {
      throw .limitExceeded(.allocatedBytes, limit: limits.allocatedBytes)
    }
    try spend(bytes: bytes)
  }

  /// Counts a new list of `elements` elements before it is made.
  func reserve(elements: Int?) throws(TemplateError) {
    guard let elements, elements <= limits.elements else {
      throw .limitExceeded(.elements, limit: limits.elements)
    }
    try spend(1 + elements)
  }

  /// Counts one level of evaluation; every caller leaves it again with `leave`.
  @inline(__always)
  func enter() throws(TemplateError) {
    depth &+= 1
    if depth > limits.callDepth { throw .limitExceeded(.depth, limit: limits.callDepth) }
  }

  @inline(__always)
  func leave() { depth &-= 1 }

  // MARK: Values that need keeping

  func list(_ items: [JinjaValue]) throws(TemplateError) -> JinjaValue {
    .list(try storage(items))
  }

  /// A dict's keys, values or items.
  func view(_ name: String, _ items: [JinjaValue]) throws(TemplateError) -> JinjaValue {
    try reserve(elements: items.count)
    return .list(JinjaList(items, viewName: name))
  }

  func iterator(_ items: [JinjaValue]) throws(TemplateError) -> JinjaValue {
    try reserve(elements: items.count)
    let iterator = JinjaIterator(items)
    try checkDepth(iterator.list.depth)
    return .iterator(iterator)
  }

  func tuple(_ items: [JinjaValue]) throws(TemplateError) -> JinjaValue {
    .tuple(try storage(items))
  }

  private func storage(_ items: [JinjaValue]) throws(TemplateError) -> JinjaList {
    try reserve(elements: items.count)
    let list = JinjaList(items)
    try checkDepth(list.depth)
    return list
  }

  func dict(_ builder: JinjaDictBuilder) throws(TemplateError) -> JinjaValue {
    try dict(builder.members)
  }

  /// Keys must be different from each other.
  func dict(_ members: [JinjaDict.Member]) throws(TemplateError) -> JinjaValue {
    let dict = JinjaDict(distinct: members)
    try reserve(elements: dict.count)
    try checkDepth(dict.depth)
    return .dict(dict)
  }

  private func checkDepth(_ depth: Int) throws(TemplateError) {
    guard depth <= JinjaValue.depthLimit else {
      throw .limitExceeded(.depth, limit: JinjaValue.depthLimit)
    }
  }

  func makeNamespace() throws(TemplateError) -> JinjaNamespace {
    guard namespaces.count < limits.elements else {
      throw .limitExceeded(.elements, limit: limits.elements)
    }
    let namespace = JinjaNamespace()
    namespaces.append(namespace)
    return namespace
  }

  /// Marks this scope and those around it as outliving their blocks.
  func capture(_ scope: JinjaScope) throws(TemplateError) {
    var next: JinjaScope? = scope
    while let here = next, !here.isCaptured {
      here.isCaptured = true
      capturedScopes.append(here)
      next = here.parent
    }
    guard capturedScopes.count <= limits.elements else {
      throw .limitExceeded(.elements, limit: limits.elements)
    }
  }

  // MARK: Output and scopes

  func write(_ text: ProvenanceText) throws(TemplateError) {
    guard output.count + text.count <= limits.outputBytes else {
      throw .limitExceeded(.outputBytes, limit: limits.outputBytes)
    }
    try spend(bytes: text.count)
    output.append(text)
  }

  /// What `body` writes, instead of writing it.
  func capturing(
    _ body: () throws(TemplateError) -> Void
  ) throws(TemplateError) -> ProvenanceText {
    let outer = output
    output = ProvenanceText()
    do throws(TemplateError) {
      try body()
    } catch {
      output = outer
      throw error
    }
    let text = output
    output = outer
    try reserve(bytes: text.count)
    return text
  }

  /// Runs `body` in `inner` and returns to the current scope.
  func within<Result>(
    _ inner: JinjaScope, _ body: () throws(TemplateError) -> Result
  ) throws(TemplateError) -> Result {
    let outer = scope
    scope = inner
    defer { scope = outer }
    return try body()
  }

  // MARK: Errors

  func invalid(_ reason: String) -> TemplateError { .invalidOperation(line: line, reason: reason) }

  func missing(_ what: String) -> TemplateError { .undefined(line: line, what: what) }
}
