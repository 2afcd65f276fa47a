extension JinjaInterpreter {
  func filter(
    _ value: JinjaValue, _ filter: JinjaFilter, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    try spend()
    let name = filter.rawValue
    switch filter {
    case .default, .d:
      let bound = try call.bound(to: ["default_value", "boolean"], of: name, by: self)
      let isReplaced = value.isUndefined || ((bound[1]?.isTrue ?? false) && !value.isTrue)
      return isReplaced ? bound[0] ?? .string(ProvenanceText()) : value
    case .length, .count:
      _ = try call.bound(to: [], of: name, by: self)
      return .integer(try length(of: value))
    case .tojson: return .string(try json(value, call))
    case .fromJSON:
      _ = try call.bound(to: [], of: name, by: self)
      let text = try string(value, name)
      try spend(text.count)
      return try self.value(
        JSONReader.value(of: text.bytes), isTemplate: text.isTemplate(at: 0))
    case .attr:
      let bound = try call.bound(to: ["name"], required: 1, of: name, by: self)
      if case .dict = value, !value.hasMethod(try string(bound[0], name).string) {
        return .undefined("a dict has no attribute '\(try string(bound[0], name).string)'")
      }
      return try attribute(string(bound[0], name).string, of: value)
    case .abs, .int, .float, .round, .sum, .min, .max:
      return try numberFilter(value, filter, call)
    case .map, .select, .reject, .selectattr, .rejectattr:
      return try selectionFilter(value, filter, call)
    case .list, .first, .last, .reverse, .join, .items, .batch, .slice, .unique, .sort, .dictsort,
      .groupby:
      return try sequenceFilter(value, filter, call)
    case .indent:
      return .string(try indented(string(value, name), call))
    case .truncate:
      if PythonNumber(value) != nil || value.isNone { throw invalid("truncate needs a string") }
      return try truncated(text(of: value), call)
    default:
      return try textFilter(text(of: value), filter, call)
    }
  }

  private func json(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> ProvenanceText
  {
    let bound = try call.bound(
      to: ["ensure_ascii", "indent", "separators", "sort_keys"], of: "tojson", by: self)
    var json = PythonJSON(interpreter: self)
    json.ensuresASCII = bound[0]?.isTrue ?? false
    json.sortsKeys = bound[3]?.isTrue ?? false
    switch bound[1] {
    case nil, .none?: break
    case .string(let text)?: json.indent = text
    case .some(let other):
      let width = max(0, try integer(other, "indent") ?? 0)
      try reserve(bytes: width)
      json.indent = ProvenanceText(
        [UInt8](repeating: UInt8(ascii: " "), count: width), isTemplate: true)
    }
    if json.indent != nil { json.itemSeparator = ProvenanceText(template: ",") }
    if let separators = bound[2], !separators.isNone {
      let parts = try elements(of: separators)
      guard parts.count == 2 else { throw invalid("tojson needs two separators") }
      json.itemSeparator = try string(parts[0], "separators")
      json.keySeparator = try string(parts[1], "separators")
    }
    return try json.text(of: value)
  }

  // MARK: Text

  private func textFilter(
    _ text: ProvenanceText, _ filter: JinjaFilter, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    let name = filter.rawValue
    try spend(bytes: text.count)
    switch filter {
    case .trim:
      let bound = try call.bound(to: ["chars"], of: name, by: self)
      return .string(try trimmed(text, bound[0], start: true, end: true, method: name))
    case .replace:
      let bound = try call.bound(to: ["old", "new", "count"], required: 2, of: name, by: self)
      return .string(
        try replacing(
          in: text, self.text(of: bound[0] ?? .none), with: self.text(of: bound[1] ?? .none),
          limit: integer(bound[2], name)))
    case .center:
      let bound = try call.bound(to: ["width"], of: name, by: self)
      let width = JinjaCall([bound[0] ?? .integer(80)])
      return try padded(text, width, "center")
    case .format:
      let argument: JinjaValue =
        call.keywords.isEmpty ? try tuple(call.positional) : try keywords(of: call)
      return .string(try format(text, with: argument))
    default:
      _ = try call.bound(to: [], of: name, by: self)
      return try plainTextFilter(text, filter)
    }
  }

  private func plainTextFilter(
    _ text: ProvenanceText, _ filter: JinjaFilter
  ) throws(TemplateError) -> JinjaValue {
    var result = text
    switch filter {
    case .upper: result = PythonCase.upper(text)
    case .lower: result = PythonCase.lower(text)
    case .title: result = PythonCase.titledByFilter(text)
    case .capitalize: result = PythonCase.capitalized(text)
    case .string: return .string(text)
    case .safe: result.isMarkup = true
    case .e, .escape, .forceescape:
      if !text.isMarkup || filter == .forceescape { result = try escaped(text) }
      result.isMarkup = true
    case .wordcount: return .integer(PythonWords.count(in: text))
    default: throw invalid("filter '\(filter.rawValue)' can't work here")
    }
    try reserve(bytes: result.count)
    return .string(result)
  }

  private func keywords(of call: JinjaCall) throws(TemplateError) -> JinjaValue {
    guard call.positional.isEmpty else {
      throw invalid("format takes either positional arguments or keywords")
    }
    var builder = JinjaDictBuilder()
    for keyword in call.keywords { _ = builder.set(.text(keyword.name), to: keyword.value) }
    return try dict(builder)
  }

  private func indented(
    _ text: ProvenanceText, _ call: JinjaCall
  ) throws(TemplateError) -> ProvenanceText {
    let bound = try call.bound(to: ["width", "first", "blank"], of: "indent", by: self)
    var indent = ProvenanceText()
    if case .string(let given)? = bound[0] {
      indent = given
    } else {
      let width = max(0, try integer(bound[0], "indent") ?? 4)
      try reserve(bytes: width)
      indent.append(repeatElement(UInt8(ascii: " "), count: width), isTemplate: true)
    }
    var whole = text
    whole.append("\n")
    let lines = PythonLines.ranges(of: whole, keepsEnds: false)
    let (added, overflow) = lines.count.multipliedReportingOverflow(by: indent.count + 1)
    try reserve(bytes: overflow ? nil : added)
    try reserve(bytes: added + text.count)
    var result = ProvenanceText()
    if bound[1]?.isTrue ?? false { result.append(indent) }
    for (index, range) in lines.enumerated() {
      if index > 0 {
        result.append("\n")
        if !range.isEmpty || (bound[2]?.isTrue ?? false) { result.append(indent) }
      }
      result.append(whole, range)
    }
    return result
  }

  private func truncated(
    _ text: ProvenanceText, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(
      to: ["length", "killwords", "end", "leeway"], of: "truncate", by: self)
    let length = try integer(bound[0], "truncate") ?? 255
    let end =
      try bound[2].map { (value) throws(TemplateError) in try string(value, "truncate") }
      ?? ProvenanceText(template: "...")
    let leeway = try integer(bound[3], "truncate") ?? 5
    let endCount = end.scalarCount
    guard length >= endCount, (0...text.count + length).contains(leeway) || leeway >= 0 else {
      throw invalid("truncate's length must not be less than the length of its end")
    }
    let (limit, overflow) = length.addingReportingOverflow(leeway)
    if overflow || text.scalarCount <= limit { return .string(text) }
    var result = text.slice(0..<text.offset(ofScalar: length - endCount))
    if !(bound[1]?.isTrue ?? false), let space = result.bytes.lastIndex(of: UInt8(ascii: " ")) {
      result = result.slice(0..<space)
    }
    try reserve(bytes: result.count + end.count)
    result.append(end)
    return .string(result)
  }
}

/// Words as the expression `\w+` finds them.
enum PythonWords {
  static func count(in text: ProvenanceText) -> Int {
    var count = 0
    var isInside = false
    text.forEachScalar { scalar, _, _ in
      let isWord = scalar == "_" || isAlphanumeric(scalar)
      if isWord, !isInside { count += 1 }
      isInside = isWord
    }
    return count
  }

  private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: scalar.properties.numericType != nil
    }
  }
}
