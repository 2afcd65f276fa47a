/// The filters this interpreter has.
enum JinjaFilter: String, Sendable, CaseIterable {
  case abs, attr, batch, capitalize, center, count, d, `default`, dictsort, e, escape, first, float
  case forceescape, format, fromJSON = "from_json", groupby, indent, int, items, join, last, length
  case list, lower, map, max, min, reject, rejectattr, replace, reverse, round, safe, select
  case selectattr, slice, sort, string, sum, title, tojson, trim, truncate, unique, upper
  case wordcount
}

/// The tests (`is …`) this interpreter has.
enum JinjaTest: String, Sendable, CaseIterable {
  case boolean, callable, defined, divisibleby, eq, equalto, escaped, even, filter, float, ge
  case greaterthan, gt, `in`, integer, iterable, le, lessthan, lower, lt, mapping, ne, none, number
  case odd, sameas, sequence, string, test, undefined, upper
  case isFalse = "false"
  case isTrue = "true"
  case equals = "=="
  case notEquals = "!="
  case greater = ">"
  case greaterOrEqual = ">="
  case less = "<"
  case lessOrEqual = "<="
}

/// The functions a template can call by name.
enum JinjaGlobal: String, Sendable, CaseIterable {
  case range, namespace, dict, joiner, cycler
  case raiseException = "raise_exception"
  case strftimeNow = "strftime_now"
}

/// A template that was read and whose names were all found.
struct JinjaProgram: Sendable {
  var body: [JinjaStatement]
  /// Whether it calls `strftime_now` without testing first whether there is one.
  var needsDate: Bool
}
