extension JinjaInterpreter {
  func sequenceFilter(
    _ value: JinjaValue, _ filter: JinjaFilter, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    switch filter {
    case .join:
      let bound = try call.bound(to: ["d", "attribute"], of: "join", by: self)
      var parts = value
      if let path = bound[1], !path.isNone {
        var items: [JinjaValue] = []
        for item in try elements(of: value) { items.append(try attributePath(path, of: item)) }
        parts = try list(items)
      }
      let separator = try bound[0].map { (value) throws(TemplateError) in try text(of: value) }
      return .string(
        try joined(parts, by: separator ?? ProvenanceText(), convertsItems: true))
    case .batch: return try batches(value, call)
    case .slice: return try slices(value, call)
    case .unique: return try unique(value, call)
    case .sort: return try sorted(value, call)
    case .dictsort: return try dictSorted(value, call)
    case .groupby: return try grouped(value, call)
    default:
      _ = try call.bound(to: [], of: filter.rawValue, by: self)
      return try plainSequenceFilter(value, filter)
    }
  }

  private func plainSequenceFilter(
    _ value: JinjaValue, _ filter: JinjaFilter
  ) throws(TemplateError) -> JinjaValue {
    switch filter {
    case .list: return try list(elements(of: value))
    case .first:
      let first: JinjaValue?
      if case .iterator(let iterator) = value {
        first = iterator.next()
      } else {
        first = try elements(of: value).first
      }
      return first ?? .undefined("the sequence is empty")
    case .last:
      if case .iterator = value { throw invalid("a generator has no last element") }
      return try elements(of: value).last ?? .undefined("the sequence is empty")
    case .items:
      if value.isUndefined { return try iterator([]) }
      guard case .dict(let dict) = value else {
        throw invalid("filter 'items' needs a dict, got \(value.typeName)")
      }
      return try iterator(items(of: dict))
    default:
      guard case .string(let text) = value else {
        return try iterator(elements(of: value).reversed())
      }
      try reserve(bytes: text.count)
      var result = ProvenanceText()
      var end = text.count
      while end > 0 {
        let start = text.previous(before: end)
        result.append(text, start..<end)
        end = start
      }
      return .string(result)
    }
  }

  // MARK: Selection

  func selectionFilter(
    _ value: JinjaValue, _ filter: JinjaFilter, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    // Jinja looks at the arguments only where there is something to go through.
    guard value.isTrue else { return try iterator([]) }
    if filter == .map { return try mapped(value, call) }
    let keepsHolding = filter == .select || filter == .selectattr
    var arguments = call
    var path: JinjaValue?
    if filter == .selectattr || filter == .rejectattr {
      guard !arguments.positional.isEmpty else {
        throw invalid("filter '\(filter.rawValue)' needs an attribute")
      }
      path = arguments.positional.removeFirst()
    }
    var named: JinjaTest?
    if !arguments.positional.isEmpty {
      let name = try string(arguments.positional.removeFirst(), filter.rawValue).string
      named = JinjaTest(rawValue: name)
      if named == nil { throw .unsupported(["test '\(name)'"]) }
    }
    var kept: [JinjaValue] = []
    for item in try elements(of: value) {
      let subject = try attributePath(path, of: item)
      let holds = try named.map { (name) throws(TemplateError) in try test(subject, name, arguments)
      }
      if (holds ?? subject.isTrue) == keepsHolding { kept.append(item) }
    }
    return try iterator(kept)
  }

  private func mapped(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    var results: [JinjaValue] = []
    if call.positional.isEmpty, !call.keywords.isEmpty {
      let bound = try call.bound(to: ["attribute", "default"], of: "map", by: self)
      for item in try elements(of: value) {
        let result = try attributePath(bound[0], of: item)
        results.append(result.isUndefined ? bound[1] ?? result : result)
      }
      return try iterator(results)
    }
    var arguments = call
    guard !arguments.positional.isEmpty else { throw invalid("filter 'map' needs a filter") }
    let name = try string(arguments.positional.removeFirst(), "map").string
    guard let filter = JinjaFilter(rawValue: name) else {
      throw .unsupported(["filter '\(name)'"])
    }
    try enter()
    for item in try elements(of: value) { results.append(try self.filter(item, filter, arguments)) }
    leave()
    return try iterator(results)
  }

  // MARK: Grouping

  private func batches(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["linecount", "fill_with"], required: 1, of: "batch", by: self)
    guard let size = try integer(bound[0], "batch"), size > 0 else {
      throw invalid("batch needs a size above zero")
    }
    let items = try elements(of: value)
    var batches: [JinjaValue] = []
    var start = 0
    while start < items.count {
      let end = size < items.count - start ? start + size : items.count
      var batch = Array(items[start..<end])
      if let fill = bound[1], !fill.isNone, batch.count < size {
        try reserve(elements: size)
        batch.append(contentsOf: repeatElement(fill, count: size - batch.count))
      }
      batches.append(try list(batch))
      start = end
    }
    return try iterator(batches)
  }

  private func slices(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["slices", "fill_with"], required: 1, of: "slice", by: self)
    guard let count = try integer(bound[0], "slice"), count > 0 else {
      throw invalid("slice needs a number of slices above zero")
    }
    try reserve(elements: count)
    let items = try elements(of: value)
    let (size, extra) = items.count.quotientAndRemainder(dividingBy: count)
    var slices: [JinjaValue] = []
    var start = 0
    for index in 0..<count {
      let end = start + size + (index < extra ? 1 : 0)
      var slice = Array(items[start..<end])
      if index >= extra, let fill = bound[1], !fill.isNone { slice.append(fill) }
      slices.append(try list(slice))
      start = end
    }
    return try iterator(slices)
  }

  private func unique(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["case_sensitive", "attribute"], of: "unique", by: self)
    var seen: Set<JinjaKey> = []
    var kept: [JinjaValue] = []
    for item in try elements(of: value) {
      let subject = try sortKey(attributePath(bound[1], of: item), bound[0]?.isTrue ?? false)
      guard let key = JinjaKey(subject) else {
        throw invalid("filter 'unique' can't compare a value of type \(subject.typeName)")
      }
      if seen.insert(key).inserted { kept.append(item) }
    }
    return try iterator(kept)
  }

  // MARK: Sorting

  private func sorted(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(
      to: ["reverse", "case_sensitive", "attribute"], of: "sort", by: self)
    var paths: [JinjaValue?] = [bound[2]]
    if case .string(let text)? = bound[2] {
      paths = text.string.split(separator: ",", omittingEmptySubsequences: false)
        .map { .text(String($0)) }
    }
    var keyed: [(key: JinjaValue, item: JinjaValue)] = []
    for item in try elements(of: value) {
      var keys: [JinjaValue] = []
      for path in paths {
        keys.append(try sortKey(attributePath(path, of: item), bound[1]?.isTrue ?? false))
      }
      keyed.append((try list(keys), item))
    }
    return try list(sort(keyed, descending: bound[0]?.isTrue ?? false))
  }

  private func dictSorted(
    _ value: JinjaValue, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(
      to: ["case_sensitive", "by", "reverse"], of: "dictsort", by: self)
    guard case .dict(let dict) = value else {
      if case .undefined(let what) = value { throw missing(what) }
      throw invalid("filter 'dictsort' needs a dict, got \(value.typeName)")
    }
    let by =
      try bound[1].map { (value) throws(TemplateError) in try string(value, "dictsort").string }
      ?? "key"
    guard by == "key" || by == "value" else { throw invalid("dictsort sorts by 'key' or 'value'") }
    var keyed: [(key: JinjaValue, item: JinjaValue)] = []
    for member in dict.members {
      let subject = by == "key" ? member.key : member.value
      keyed.append(
        (try sortKey(subject, bound[0]?.isTrue ?? false), try tuple([member.key, member.value])))
    }
    return try list(sort(keyed, descending: bound[2]?.isTrue ?? false))
  }

  /// Members by key, as `json.dumps(sort_keys=True)` puts them.
  func sorted(_ members: [JinjaDict.Member]) throws(TemplateError) -> [JinjaDict.Member] {
    let order = try sort(
      members.enumerated().map { ($0.element.key, .integer($0.offset)) }, descending: false)
    return order.compactMap { index in
      if case .integer(let index) = index { members[index] } else { nil }
    }
  }

  private func grouped(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(
      to: ["attribute", "default", "case_sensitive"], required: 1, of: "groupby", by: self)
    let isSensitive = bound[2]?.isTrue ?? false
    var keyed: [(key: JinjaValue, item: JinjaValue)] = []
    for item in try elements(of: value) {
      var key = try attributePath(bound[0], of: item)
      if key.isUndefined, let replacement = bound[1] { key = replacement }
      keyed.append((try sortKey(key, isSensitive), try tuple([key, item])))
    }
    var groups: [(key: JinjaValue, shown: JinjaValue, items: [JinjaValue])] = []
    let sortedPairs = try sort(keyed, descending: false)
    for pair in sortedPairs {
      guard case .tuple(let parts) = pair else { continue }
      let key = try sortKey(parts.items[0], isSensitive)
      if let last = groups.last, try equal(last.key, key) {
        groups[groups.count - 1].items.append(parts.items[1])
      } else {
        groups.append((key, parts.items[0], [parts.items[1]]))
      }
    }
    var result: [JinjaValue] = []
    for group in groups {
      result.append(
        .tuple(JinjaList([group.shown, try list(group.items)], names: ["grouper", "list"])))
    }
    return try list(result)
  }

  /// A stable merge sort by key; descending keeps the order of equal items too.
  private func sort(
    _ keyed: [(key: JinjaValue, item: JinjaValue)], descending: Bool
  ) throws(TemplateError) -> [JinjaValue] {
    var source = keyed
    var width = 1
    while width < source.count {
      var merged: [(key: JinjaValue, item: JinjaValue)] = []
      merged.reserveCapacity(source.count)
      for start in stride(from: 0, to: source.count, by: 2 * width) {
        var left = start
        var right = min(start + width, source.count)
        let (leftEnd, rightEnd) = (right, min(start + 2 * width, source.count))
        while left < leftEnd, right < rightEnd {
          let order = try order(source[right].key, source[left].key)
          if descending ? order > 0 : order < 0 {
            merged.append(source[right])
            right += 1
          } else {
            merged.append(source[left])
            left += 1
          }
        }
        merged.append(contentsOf: source[left..<leftEnd])
        merged.append(contentsOf: source[right..<rightEnd])
      }
      source = merged
      width *= 2
    }
    return source.map(\.item)
  }
}
