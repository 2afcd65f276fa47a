import Foundation
import FoundationModels
import Testing

/// Types made by the macro, at run time.
@Suite struct GenerableMacroUseTests {
  @Test func `a struct goes to content and back`() throws {
    let person = Person(age: nil, children: [Person(age: 20, children: [], name: "B")], name: "A")
    #expect(
      person.generatedContent.jsonString
        == #"{"children":[{"age":20,"children":[],"name":"B"}],"name":"A"}"#)
    #expect(try Person(person.generatedContent) == person)
    #expect(throws: GeneratedContent.ParsingError.self) {
      try Person(GeneratedContent(json: #"{"name":"A"}"#))
    }
  }

  @Test func `a partly generated struct fills in as its text comes`() throws {
    let content = try GeneratedContent(json: #"{"age":30,"children":[{"na"#)
    let partial = try Person.PartiallyGenerated(content)
    #expect(partial.age == 30)
    #expect(partial.children?.count == 1)
    #expect(partial.children?[0].name == nil)
    #expect(partial.name == nil)
    let start = try Person.PartiallyGenerated(GeneratedContent(json: "{"))
    #expect(start.children == nil)
    let whole = Person(age: 1, children: [], name: "C").asPartiallyGenerated()
    #expect(whole.name == "C" && whole.children?.isEmpty == true)
  }

  @Test func `an enum without values is a text`() throws {
    #expect(Color.deepBlue.generatedContent.jsonString == #""deep-blue""#)
    #expect(try Color(GeneratedContent("default")) == .default)
    #expect(throws: GeneratedContent.ParsingError.self) { try Color(GeneratedContent("green")) }
    #expect(
      Color.generationSchema.debugDescription
        == #"{"type":"string","enum":["red","deep-blue","default"],"title":"Color"}"#)
  }

  @Test func `an enum with values is an object with the case's name`() throws {
    let orders: [(Order, String)] = [
      (.coffee("decaf"), #"{"type":"coffee","value":"decaf"}"#),
      (.complaint(about: "tea", urgency: 3), #"{"type":"complaint","about":"tea","urgency":3}"#),
      (.mixed(1, [0.5], last: true), #"{"type":"mixed","value":1,"value1":[0.5],"last":true}"#),
      (.nothing, #"{"type":"nothing"}"#),
    ]
    for (order, json) in orders {
      #expect(order.generatedContent.jsonString == json)
      #expect(try Order(GeneratedContent(json: json)) == order)
    }
    let partial = try Order.PartiallyGenerated(
      GeneratedContent(json: #"{"type":"complaint","about":"te"#))
    guard case .complaint(let about, let urgency) = partial else {
      Issue.record("another case")
      return
    }
    #expect(about == "te" && urgency == nil)
    #expect(
      Order.generationSchema.debugDescription.contains(
        ##""anyOf":[{"$ref":"#/$defs/DiscriminatedCoffee"}"##))
  }

  @Test func `recursive enums and generic structs work`() throws {
    let sum = Expression.sum(left: .number(1), right: .sum(left: .number(2), right: .number(3)))
    #expect(try Expression(sum.generatedContent) == sum)
    #expect(Expression.generationSchema.debugDescription.contains(##""left":{"$ref":"#"}"##))
    let box = Box(value: Age(years: 1, months: 2), others: [])
    #expect(box.generatedContent.jsonString == #"{"value":{"years":1,"months":2},"others":[]}"#)
    #expect(Box<Age>.generationSchema.name == "Box<Age>")
    #expect(try Box<Int>(GeneratedContent(json: #"{"value":3,"others":[4]}"#)).others == [4])
  }

  @Test func `a named type with an identity writes nil explicitly`() throws {
    let content = try GeneratedContent(
      json: #"{"code":"ab","weight":1,"tags":null,"amount":1.50,"color":null}"#)
    let note = try Note(content)
    #expect(note.tags == nil && note.amount == Decimal(string: "1.5"))
    #expect(
      note.generatedContent.jsonString
        == #"{"code":"ab","weight":1,"tags":null,"amount":1.5,"color":null}"#)
    #expect(note.generatedContent.id == note.id)
    let schema = Note.generationSchema
    #expect(schema.name == "Notification")
    let text = schema.debugDescription
    #expect(text.contains(#""code":{"type":"string","pattern":"[a-z]{2,5}"}"#))
    #expect(text.contains(#""weight":{"type":"number","minimum":0.5,"maximum":2.5"#))
    #expect(
      text.contains(
        #""items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":20"#), "\(text)")
    #expect(text.contains(#""required":["code","weight","tags","amount","color"]"#))
  }

  @Test func `arrays drop a last element that can't be read yet`() throws {
    let content = try GeneratedContent(json: #"["red","deep-"#)
    #expect(try [Color](content) == [.red])
    #expect(throws: GeneratedContent.ParsingError.self) {
      try [Color](GeneratedContent(json: #"["red","deep-"]"#))
    }
  }

  @Test func `values stand in prompts as their JSON`() {
    let prompt = Prompt {
      "Look:"
      Age(years: 1, months: 2)
      if true { "yes" }
      for number in [1, 2] { number }
    }
    let session = prompt.promptRepresentation
    #expect(String(describing: session).contains(#"{\"years\":1,\"months\":2}"#))
  }
}
