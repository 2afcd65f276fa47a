/// Python's changes and questions of letter case, scalar by scalar, by Unicode's full mappings.
enum PythonCase {
  static func mapped(
    _ text: ProvenanceText, _ mapping: (Unicode.Scalar) -> String
  ) -> ProvenanceText {
    var result = ProvenanceText()
    text.forEachScalar { scalar, _, isTemplate in
      result.append(mapping(scalar).utf8, isTemplate: isTemplate)
    }
    return result
  }

  static func upper(_ text: ProvenanceText) -> ProvenanceText {
    mapped(text) { $0.properties.uppercaseMapping }
  }

  static func lower(_ text: ProvenanceText) -> ProvenanceText {
    var result = ProvenanceText()
    var followsLetter = false
    text.forEachScalar { scalar, range, isTemplate in
      var mapping = scalar.properties.lowercaseMapping
      // A capital sigma at the end of a word becomes the final form.
      if scalar == "\u{3A3}", followsLetter, !isFollowedByLetter(text, range.upperBound) {
        mapping = "\u{3C2}"
      }
      if !scalar.properties.isCaseIgnorable { followsLetter = scalar.properties.isCased }
      result.append(mapping.utf8, isTemplate: isTemplate)
    }
    return result
  }

  private static func isFollowedByLetter(_ text: ProvenanceText, _ position: Int) -> Bool {
    var position = position
    while position < text.count {
      let scalar = text.scalar(at: position)
      if !scalar.properties.isCaseIgnorable { return scalar.properties.isCased }
      position = text.next(after: position)
    }
    return false
  }

  static func swapped(_ text: ProvenanceText) -> ProvenanceText {
    mapped(text) { scalar in
      scalar.properties.isUppercase
        ? scalar.properties.lowercaseMapping : scalar.properties.uppercaseMapping
    }
  }

  static func folded(_ text: ProvenanceText) -> ProvenanceText {
    mapped(text) { $0 == "\u{DF}" ? "ss" : $0.properties.lowercaseMapping }
  }

  /// The first scalar in title case, the others in lower case.
  static func capitalized(_ text: ProvenanceText) -> ProvenanceText {
    let first = text.isEmpty ? 0 : text.next(after: 0)
    var result = mapped(text.slice(0..<first)) { $0.properties.titlecaseMapping }
    result.append(lower(text.slice(first..<text.count)))
    return result
  }

  /// `str.title`: a cased scalar after an uncased one starts a word.
  static func titled(_ text: ProvenanceText) -> ProvenanceText {
    var result = ProvenanceText()
    var followsCased = false
    text.forEachScalar { scalar, _, isTemplate in
      let properties = scalar.properties
      let mapping = followsCased ? properties.lowercaseMapping : properties.titlecaseMapping
      result.append(mapping.utf8, isTemplate: isTemplate)
      followsCased = properties.isCased
    }
    return result
  }

  /// Jinja's filter `title`: words begin after white space, hyphens and opening brackets.
  static func titledByFilter(_ text: ProvenanceText) -> ProvenanceText {
    var result = ProvenanceText()
    var startsWord = true
    text.forEachScalar { scalar, _, isTemplate in
      let isBoundary = PythonSpace.contains(scalar) || "-({[<".unicodeScalars.contains(scalar)
      let properties = scalar.properties
      let mapping =
        isBoundary
        ? String(scalar) : startsWord ? properties.uppercaseMapping : properties.lowercaseMapping
      result.append(mapping.utf8, isTemplate: isTemplate)
      startsWord = isBoundary
    }
    return result
  }

  static func isLower(_ text: ProvenanceText) -> Bool {
    hasCase(text) { $0.isLowercase }
  }

  static func isUpper(_ text: ProvenanceText) -> Bool {
    hasCase(text) { $0.isUppercase }
  }

  /// Whether there is a cased scalar and every one is as `body` says.
  private static func hasCase(
    _ text: ProvenanceText, _ body: (Unicode.Scalar.Properties) -> Bool
  ) -> Bool {
    var found = false
    var holds = true
    text.forEachScalar { scalar, _, _ in
      let properties = scalar.properties
      guard properties.isCased else { return }
      found = true
      holds = holds && body(properties)
    }
    return found && holds
  }

  static func isTitle(_ text: ProvenanceText) -> Bool {
    var found = false
    var holds = true
    var followsCased = false
    text.forEachScalar { scalar, _, _ in
      let properties = scalar.properties
      if properties.isUppercase || properties.generalCategory == .titlecaseLetter {
        holds = holds && !followsCased
        found = true
        followsCased = true
      } else if properties.isLowercase {
        holds = holds && followsCased
        found = true
        followsCased = true
      } else {
        followsCased = false
      }
    }
    return found && holds
  }
}
