public import Foundation
public import _StringProcessing

/// A limit on generated values of one type, enforced while they are generated.
public struct GenerationGuide<Value>: Sendable {
  let rule: GuideRule

  init(_ rule: GuideRule) { self.rule = rule }
}

/// What a guide asks for, whatever the type.
indirect enum GuideRule: Sendable {
  case constant(String)
  case anyOf([String])
  case pattern(String?)
  case minimum(JSONNumber)
  case maximum(JSONNumber)
  case range(JSONNumber, JSONNumber)
  case minimumCount(Int)
  case maximumCount(Int)
  case counts(Int, Int)
  case element(GuideRule)
}

extension GenerationGuide where Value == String {
  /// This text and no other.
  public static func constant(_ value: String) -> GenerationGuide<String> { Self(.constant(value)) }

  /// One of these texts.
  public static func anyOf(_ values: [String]) -> GenerationGuide<String> { Self(.anyOf(values)) }

  /// A text that the whole expression matches.
  ///
  /// An expression that has no literal form can't be a pattern: a schema with it is refused with
  /// ``LanguageModelError/unsupportedGenerationGuide(_:)`` when it is used.
  public static func pattern<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    Self(.pattern(RegexPattern.text(of: regex)))
  }
}

extension GenerationGuide where Value == Int {
  /// At least this.
  public static func minimum(_ value: Int) -> GenerationGuide<Int> {
    Self(.minimum(JSONNumber(value)))
  }

  /// At most this.
  public static func maximum(_ value: Int) -> GenerationGuide<Int> {
    Self(.maximum(JSONNumber(value)))
  }

  /// Within these bounds, both included.
  public static func range(_ range: ClosedRange<Int>) -> GenerationGuide<Int> {
    Self(.range(JSONNumber(range.lowerBound), JSONNumber(range.upperBound)))
  }
}

extension GenerationGuide where Value == Double {
  /// At least this.
  public static func minimum(_ value: Double) -> GenerationGuide<Double> {
    Self(.minimum(JSONNumber(value)))
  }

  /// At most this.
  public static func maximum(_ value: Double) -> GenerationGuide<Double> {
    Self(.maximum(JSONNumber(value)))
  }

  /// Within these bounds, both included.
  public static func range(_ range: ClosedRange<Double>) -> GenerationGuide<Double> {
    Self(.range(JSONNumber(range.lowerBound), JSONNumber(range.upperBound)))
  }
}

extension GenerationGuide where Value == Float {
  /// At least this.
  public static func minimum(_ value: Float) -> GenerationGuide<Float> {
    Self(.minimum(JSONNumber(literal: value.description)))
  }

  /// At most this.
  public static func maximum(_ value: Float) -> GenerationGuide<Float> {
    Self(.maximum(JSONNumber(literal: value.description)))
  }

  /// Within these bounds, both included.
  public static func range(_ range: ClosedRange<Float>) -> GenerationGuide<Float> {
    let bounds = (range.lowerBound.description, range.upperBound.description)
    return Self(.range(JSONNumber(literal: bounds.0), JSONNumber(literal: bounds.1)))
  }
}

extension GenerationGuide where Value == Decimal {
  /// At least this.
  public static func minimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    Self(.minimum(JSONNumber(literal: value.description)))
  }

  /// At most this.
  public static func maximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    Self(.maximum(JSONNumber(literal: value.description)))
  }

  /// Within these bounds, both included.
  public static func range(_ range: ClosedRange<Decimal>) -> GenerationGuide<Decimal> {
    let bounds = (range.lowerBound.description, range.upperBound.description)
    return Self(.range(JSONNumber(literal: bounds.0), JSONNumber(literal: bounds.1)))
  }
}

extension GenerationGuide {
  /// At least this many elements.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] { Self(.minimumCount(count)) }

  /// At most this many elements.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] { Self(.maximumCount(count)) }

  /// A number of elements within these bounds, both included.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<[Element]>
  where Value == [Element] { Self(.counts(range.lowerBound, range.upperBound)) }

  /// Exactly this many elements.
  public static func count<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] { Self(.counts(count, count)) }

  /// A guide for every element.
  public static func element<Element>(
    _ guide: GenerationGuide<Element>
  ) -> GenerationGuide<[Element]> where Value == [Element] { Self(.element(guide.rule)) }
}

/// The forms written in `@Guide`, where the element's type is not known to the compiler.
extension GenerationGuide where Value == [Never] {
  /// At least this many elements.
  public static func minimumCount(_ count: Int) -> GenerationGuide<Value> {
    Self(.minimumCount(count))
  }

  /// At most this many elements.
  public static func maximumCount(_ count: Int) -> GenerationGuide<Value> {
    Self(.maximumCount(count))
  }

  /// A number of elements within these bounds, both included.
  public static func count(_ range: ClosedRange<Int>) -> GenerationGuide<Value> {
    Self(.counts(range.lowerBound, range.upperBound))
  }

  /// Exactly this many elements.
  public static func count(_ count: Int) -> GenerationGuide<Value> { Self(.counts(count, count)) }
}
