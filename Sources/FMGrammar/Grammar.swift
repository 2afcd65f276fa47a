package import FMCore

/// What an answer may be: rules over bytes, as data.
///
/// Rules refer to each other by index, so they may share and recurse. JSON's arrays and objects are
/// rules of their own, so that counts, order and absent members cost nothing when they are compiled.
package struct Grammar: Sendable, Hashable {
  /// A rule's place in ``rules``.
  package typealias Index = Int32

  /// The rules; every index inside them is below their count.
  package var rules: [Rule]
  /// The rule of a whole answer.
  package var root: Index

  package init(rules: [Rule], root: Index) {
    self.rules = rules
    self.root = root
  }
}

/// One rule of a grammar.
package enum Rule: Sendable, Hashable {
  /// Nothing at all.
  case empty
  /// Exactly these bytes, at least one.
  case literal([UInt8])
  /// A word of an automaton's language.
  case automaton(ByteAutomaton)
  /// A JSON string with its quotes, of so many code points.
  case string(StringRule)
  /// One after the other.
  case sequence([Grammar.Index])
  /// One of several, at least one.
  case choice([Grammar.Index])
  /// A JSON array with its brackets.
  case array(ArrayRule)
  /// A JSON object with its braces.
  case object(ObjectRule)
  /// One control token, which stands for no bytes of the answer's text.
  case token(TokenID)
}

/// A JSON string of any text, in any spelling, whose length is counted in code points.
///
/// Every escape is one code point, a pair of surrogate escapes too. What has a pattern is a
/// ``Rule/automaton(_:)``, its quotes and escapes included.
package struct StringRule: Sendable, Hashable {
  package var minimum: Int
  package var maximum: Int?

  package init(minimum: Int = 0, maximum: Int? = nil) {
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// A JSON array: elements by place, then any number of one kind.
package struct ArrayRule: Sendable, Hashable {
  /// The first elements, each by its own rule; an array may end inside them if `minimum` allows.
  package var prefix: [Grammar.Index]
  /// The elements after them; nil when there are none.
  package var items: Grammar.Index?
  package var minimum: Int
  package var maximum: Int?
  /// Whether no two elements may be spelled alike; their rules are then literals or automata that
  /// spell each value in one way.
  package var isUnique: Bool

  package init(
    prefix: [Grammar.Index] = [], items: Grammar.Index? = nil, minimum: Int = 0,
    maximum: Int? = nil, isUnique: Bool = false
  ) {
    self.prefix = prefix
    self.items = items
    self.minimum = minimum
    self.maximum = maximum
    self.isUnique = isUnique
  }
}

/// A JSON object: named members in this order, then others; a key never comes twice.
package struct ObjectRule: Sendable, Hashable {
  /// A named member.
  package struct Member: Sendable, Hashable {
    /// The key in the one spelling it gets, with its quotes.
    package var key: [UInt8]
    package var value: Grammar.Index
    package var isRequired: Bool

    package init(key: [UInt8], value: Grammar.Index, isRequired: Bool) {
      self.key = key
      self.value = value
      self.isRequired = isRequired
    }
  }

  /// Members whose names are not given.
  package struct Others: Sendable, Hashable {
    /// Their keys with quotes, spelled without escapes.
    ///
    /// The languages of an object's others are disjoint and infinite; keys that are taken are left
    /// out of them when the grammar runs.
    package var key: ByteAutomaton
    package var value: Grammar.Index

    package init(key: ByteAutomaton, value: Grammar.Index) {
      self.key = key
      self.value = value
    }
  }

  package var members: [Member]
  package var others: [Others]
  /// Keys that no other member may have beside those of `members`, spelled with their quotes.
  package var reservedKeys: [[UInt8]]
  /// Bounds of the number of members.
  package var minimum: Int
  package var maximum: Int?

  package init(
    members: [Member], others: [Others] = [], reservedKeys: [[UInt8]] = [], minimum: Int = 0,
    maximum: Int? = nil
  ) {
    self.members = members
    self.others = others
    self.reservedKeys = reservedKeys
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// Where JSON may have white space, and how much.
package enum WhiteSpace: Sendable, Hashable {
  /// None but one space after each `:` and `,`: as most training text on one line has it.
  case oneLine
  /// None at all.
  case none
  /// Up to this many white-space bytes between any two tokens of an array or object.
  case upTo(Int)
}
