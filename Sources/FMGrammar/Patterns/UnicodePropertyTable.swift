import Synchronization

/// Sets of scalars by the names that `\p` has for them.
///
/// General categories and binary properties come from the standard library, the few scripts from a
/// table of runs. Each set is made when it is first asked for and kept.
enum UnicodePropertyTable {
  private static let known = Mutex<[String: ScalarSet]>([:])

  /// The set of a property such as `L`, `Lu`, `gc=Letter`, `Alphabetic` or `Script=Greek`; nil if unknown.
  static func set(named name: String) -> ScalarSet? {
    if let set = known.withLock({ $0[name] }) { return set }
    guard let set = make(name) else { return nil }
    known.withLock { $0[name] = set }
    return set
  }

  private static func make(_ name: String) -> ScalarSet? {
    let parts = name.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      return parts.count == 1 ? category(name) ?? binary(name) : nil
    }
    switch parts[0] {
    case "General_Category", "gc": return category(parts[1])
    case "Script", "sc": return ScriptRuns.set(named: parts[1])
    default: return nil
    }
  }

  private static func category(_ name: String) -> ScalarSet? {
    let short = longNames[name] ?? name
    let members = groups[short] ?? [short]
    guard members.allSatisfy({ categories[$0] != nil }) else { return nil }
    return ScalarSet(members.flatMap { categories[$0].flatMap { runs[$0] } ?? [] })
  }

  /// The scalars of each general category, found in one pass.
  private static let runs: [Unicode.GeneralCategory: [ScalarSet.Run]] = {
    var runs: [Unicode.GeneralCategory: [ScalarSet.Run]] = [:]
    var open: (category: Unicode.GeneralCategory, run: ScalarSet.Run)?
    ScalarSet.forEachRun { run, scalar in
      let category = scalar.properties.generalCategory
      if let last = open, last.category == category, last.run.high + 1 == run.low {
        open?.run.high = run.high
      } else {
        if let last = open { runs[last.category, default: []].append(last.run) }
        open = (category, run)
      }
    }
    if let last = open { runs[last.category, default: []].append(last.run) }
    return runs
  }()

  private static func binary(_ name: String) -> ScalarSet? {
    if name == "Any" { return .all }
    if name == "ASCII" { return ScalarSet(0...0x7f) }
    if name == "Assigned" { return category("Cn")?.complement }
    guard let property = binaries.first(where: { $0.names.contains(name) }) else { return nil }
    return ScalarSet(where: { $0.properties[keyPath: property.path] })
  }

  private typealias Path = any KeyPath<Unicode.Scalar.Properties, Bool> & Sendable

  private static let binaries: [(names: [String], path: Path)] = [
    (["Alphabetic", "Alpha"], \.isAlphabetic),
    (["Lowercase", "Lower"], \.isLowercase),
    (["Uppercase", "Upper"], \.isUppercase),
    (["White_Space", "space"], \.isWhitespace),
    (["Emoji"], \.isEmoji),
    (["Emoji_Presentation", "EPres"], \.isEmojiPresentation),
    (["Emoji_Modifier", "EMod"], \.isEmojiModifier),
    (["Emoji_Modifier_Base", "EBase"], \.isEmojiModifierBase),
    (["ID_Start", "IDS"], \.isIDStart),
    (["ID_Continue", "IDC"], \.isIDContinue),
    (["XID_Start", "XIDS"], \.isXIDStart),
    (["XID_Continue", "XIDC"], \.isXIDContinue),
    (["Hex_Digit", "Hex"], \.isHexDigit),
    (["ASCII_Hex_Digit", "AHex"], \.isASCIIHexDigit),
    (["Ideographic", "Ideo"], \.isIdeographic),
    (["Math"], \.isMath),
    (["Dash"], \.isDash),
    (["Diacritic", "Dia"], \.isDiacritic),
    (["Cased"], \.isCased),
    (["Noncharacter_Code_Point", "NChar"], \.isNoncharacterCodePoint),
  ]

  private static let groups: [String: [String]] = [
    "L": ["Lu", "Ll", "Lt", "Lm", "Lo"], "LC": ["Lu", "Ll", "Lt"], "M": ["Mn", "Mc", "Me"],
    "N": ["Nd", "Nl", "No"], "P": ["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"],
    "S": ["Sm", "Sc", "Sk", "So"], "Z": ["Zs", "Zl", "Zp"], "C": ["Cc", "Cf", "Co", "Cn"],
  ]

  private static let longNames: [String: String] = [
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M",
    "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
    "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
    "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
    "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
    "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
    "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf",
    "Private_Use": "Co", "Unassigned": "Cn",
  ]

  private static let categories: [String: Unicode.GeneralCategory] = [
    "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter,
    "Lm": .modifierLetter, "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark,
    "Me": .enclosingMark, "Nd": .decimalNumber, "Nl": .letterNumber, "No": .otherNumber,
    "Pc": .connectorPunctuation, "Pd": .dashPunctuation, "Ps": .openPunctuation,
    "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
    "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol,
    "So": .otherSymbol, "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator,
    "Cc": .control, "Cf": .format, "Co": .privateUse, "Cn": .unassigned,
  ]
}

/// Scalars that differ in case only, each being the other's one-scalar mapping.
enum SimpleCases {
  /// Pairs of a scalar and another that counts as equal when case is ignored, in order of the first.
  private static let pairs: [(scalar: UInt32, other: UInt32)] = {
    var groups: [UInt32: [UInt32]] = [:]
    for value in UInt32(0)..<0x2_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      // A dotless i has a capital I, yet folds to itself alone.
      guard value != 0x131,
        properties.changesWhenCaseMapped || properties.changesWhenCaseFolded
      else { continue }
      let lower = properties.lowercaseMapping.unicodeScalars
      let upper = properties.uppercaseMapping.unicodeScalars
      // What folds to one scalar is equal to all else that does; upper first joins, say, ſ with s.
      guard upper.count == 1, let capital = upper.first, lower.count == 1 else { continue }
      let folded = capital.properties.lowercaseMapping.unicodeScalars
      guard folded.count == 1, let key = folded.first?.value else { continue }
      groups[key, default: []].append(value)
    }
    var pairs: [(scalar: UInt32, other: UInt32)] = []
    for group in groups.values {
      for one in group { for other in group where other != one { pairs.append((one, other)) } }
    }
    return pairs.sorted { ($0.scalar, $0.other) < ($1.scalar, $1.other) }
  }()

  /// A set with all scalars that are equal to one of its own but for case.
  static func closure(of set: ScalarSet) -> ScalarSet {
    var runs = set.runs
    for pair in pairs where set.contains(pair.scalar) {
      runs.append(.init(low: pair.other, high: pair.other))
    }
    return ScalarSet(runs)
  }
}
