/// A JSON value as its text has it: members in order, numbers as they are spelled.
package indirect enum JSONTree: Sendable, Hashable {
  case null
  case boolean(Bool)
  case number(JSONNumeral)
  /// The string's bytes without quotes and escapes.
  case string([UInt8])
  case array([JSONTree])
  case object([JSONTreeMember])
}

/// A member of an object; a name may come twice where the reader allows it.
package struct JSONTreeMember: Sendable, Hashable {
  package var name: [UInt8]
  package var value: JSONTree
}

/// A number's spelling, which follows JSON's rules.
package struct JSONNumeral: Sendable, Hashable {
  package var spelling: [UInt8]
  /// Whether it has neither a fraction nor an exponent.
  package var isInteger: Bool
  /// The byte after it in the text.
  package var end: Int
}

/// How JSON text is read, and how much of it.
package struct JSONTreeOptions: Sendable, Hashable {
  /// The deepest nesting of arrays and objects; each level takes a few hundred bytes of stack.
  package var depth: Int
  /// The most values in all.
  package var values: Int
  /// Whether repeated names, halves of surrogate pairs and ill-formed UTF-8 are faults.
  ///
  /// Otherwise names may repeat, and a half becomes U+FFFD; ill-formed bytes are passed on.
  package var isStrict: Bool

  package init(depth: Int, values: Int = .max, isStrict: Bool = false) {
    self.depth = depth
    self.values = values
    self.isStrict = isStrict
  }
}

/// What is wrong with JSON text, and at which byte.
package struct JSONTreeFault: Error, Hashable {
  /// What kind of fault it is.
  package enum Kind: Sendable, Hashable { case syntax, depth, values }

  package var kind: Kind
  package var offset: Int
  package var reason: String

  package init(kind: Kind, offset: Int, reason: String) {
    self.kind = kind
    self.offset = offset
    self.reason = reason
  }
}
