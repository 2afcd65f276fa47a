import Foundation
public import FoundationModels

@Generable
struct Age {
  var years: Int
  var months: Int
}

@Generable
struct Person: Equatable {
  @Guide(description: "The person's age", .range(18...100))
  var age: Int?
  @Guide(description: "The person's children", .maximumCount(3))
  var children: [Person]
  @Guide(description: "The person's name")
  var name: String
}

@Generable(description: "Basic profile information about a cat")
struct Cat {
  var name: String
  @Guide(description: "The age of the cat, at most 20 years")
  var age: Age
  @Guide(description: "One sentence about this cat's personality")
  var profile: String
}

@Generable
struct Hedgehog {
  @Guide(description: "A cute old-timey name")
  var name: String
  @Guide(description: "The hedgehog's age, at most 8 years.")
  var age: Age
  @Guide(description: "The hedgehog's favorite food", .anyOf(["carrot", "turnip", "leek"]))
  var favoriteFood: String
  @Guide(.anyOf(["a hedge"]))
  var home: String
  @Guide(description: "The hedgehog's hobbies", .count(3))
  var hobbies: [String]
}

enum Club {
  @Generable
  struct Person {
    @Guide(description: "The person's age", .range(18...100))
    var age: Int?
    @Guide(description: "The person's children", .maximumCount(10))
    var children: [Person]
    @Guide(description: "The person's name")
    var name: String
  }
}

@Generable
struct PetClub {
  var members: [Club.Person]
  var cats: [Cat]
  var hedgehogs: [Hedgehog]
  var otherPets: [String]
  @Guide(description: "Should be the name of one of the members")
  var presidentName: String
}

@Generable
enum Color: String, CaseIterable {
  case red
  case deepBlue = "deep-blue"
  case `default`
}

@Generable
enum Order: Equatable {
  case coffee(String)
  case complaint(about: String, urgency: Int?)
  case mixed(Int, [Double], last: Bool)
  case nothing
}

@Generable
indirect enum Expression: Equatable {
  case number(Int)
  case sum(left: Expression, right: Expression)
}

@Generable
struct Box<Value: Generable> {
  var value: Value
  var others: [Value]
}

@Generable(
  name: "Notification", description: "A note", representNilExplicitlyInGeneratedContent: true)
struct Note: Equatable {
  var id: GenerationID
  @Guide(/[a-z]{2,5}/)
  var code: String
  @Guide(description: "How much", .range(0.5...2.5))
  var weight: Double
  @Guide(.minimumCount(1), .maximumCount(20))
  @Guide(.element(.anyOf(["x", "y"])))
  var tags: [String]?
  var amount: Decimal?
  let color: Color?
  static let unrelated = 3
  var computed: Int { 4 }
}

/// A type with access to give to what the macro makes.
@Generable
public struct PublicReport: Sendable {
  /// A text.
  public var title: String
  /// Numbers in rows.
  public var colors: [[Float]]
}
