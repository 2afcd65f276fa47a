import FMCore
import Testing

@Suite struct JSONTreeReaderTests {
  private func read(
    _ text: String, depth: Int = 8, values: Int = 100, isStrict: Bool = false
  ) throws(JSONTreeFault) -> JSONTree {
    let options = JSONTreeOptions(depth: depth, values: values, isStrict: isStrict)
    return try JSONTreeReader.read(Array(text.utf8)[...], options: options)
  }

  @Test func `values come as they are written, members in order`() throws {
    let tree = try read(#" {"b": [1, -0.5e+3, true, null], "a": "x\u00e9\ud83d\ude00\/\n"} "#)
    guard case .object(let members) = tree else {
      throw JSONTreeFault(kind: .syntax, offset: 0, reason: "")
    }
    #expect(members.map(\.name) == [Array("b".utf8), Array("a".utf8)])
    #expect(members[1].value == .string(Array("x\u{e9}\u{1F600}/\n".utf8)))
    guard case .array(let elements) = members[0].value, case .number(let one) = elements[0],
      case .number(let other) = elements[1]
    else { throw JSONTreeFault(kind: .syntax, offset: 0, reason: "") }
    #expect(one.isInteger && one.spelling == Array("1".utf8))
    #expect(!other.isInteger && other.spelling == Array("-0.5e+3".utf8) && other.end == 18)
    #expect(elements[2...] == [.boolean(true), .null])
  }

  @Test(arguments: [
    ("", 0, "expected a value"), ("{", 1, "expected a member's name"),
    ("[1 2]", 3, "expected ',' or ']'"),
    ("01", 1, "more follows the value"), ("1.", 2, "expected a digit"),
    ("tru", 0, "expected 'true'"),
    (#""a"#, 2, "a string is not closed"), (#""\q""#, 3, "unknown escape"),
    (#""\u12g4""#, 5, "expected four hexadecimal digits"), (#""\u12"#, 5, "a string is not closed"),
    ("\"\t\"", 1, "a string holds a control character"), (#"{"a" 1}"#, 5, "expected ':'"),
  ])
  func `a fault has its byte and reason`(text: String, offset: Int, reason: String) {
    #expect(throws: JSONTreeFault(kind: .syntax, offset: offset, reason: reason)) { try read(text) }
  }

  @Test func `what is lost elsewhere is a fault of strict reading`() throws {
    for text in [#"{"a":1,"a":2}"#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#] {
      #expect(throws: JSONTreeFault.self) { try read(text, isStrict: true) }
      _ = try read(text)
    }
    #expect(try read(#""\ud800\u0041""#) == .string(Array("\u{FFFD}A".utf8)))
    let ill: [UInt8] = [0x22, 0xC3, 0x22]
    #expect(throws: JSONTreeFault.self) {
      try JSONTreeReader.read(ill[...], options: JSONTreeOptions(depth: 1, isStrict: true))
    }
    #expect(
      try JSONTreeReader.read(ill[...], options: JSONTreeOptions(depth: 1)) == .string([0xC3]))
  }

  @Test func `nesting and numbers of values have limits`() throws {
    _ = try read("[[1]]", depth: 2)
    #expect(throws: JSONTreeFault(kind: .depth, offset: 2, reason: "nested too deeply")) {
      try read("[[[1]]]", depth: 2)
    }
    #expect(throws: JSONTreeFault.self) { try read("[1,2,3]", values: 3) }
    #expect(throws: JSONTreeFault.self) {
      try read(String(repeating: "[", count: 100_000), depth: 256)
    }
  }

  @Test func `offsets count from the first byte of a slice`() {
    let bytes = Array("xx[1,]".utf8)
    #expect(throws: JSONTreeFault(kind: .syntax, offset: 3, reason: "expected a value")) {
      try JSONTreeReader.read(bytes[2...], options: JSONTreeOptions(depth: 4))
    }
  }

  @Test func `every scalar below a space and every quote comes back from its spelling`() throws {
    var text = "\"\\/é😀"
    for code in 0..<0x20 as Range<UInt8> { text.unicodeScalars.append(Unicode.Scalar(code)) }
    var spelled: [UInt8] = []
    JSONSpelling.append(text, to: &spelled)
    let tree = try JSONTreeReader.read(
      spelled[...], options: JSONTreeOptions(depth: 1, isStrict: true))
    #expect(tree == .string(Array(text.utf8)))
  }
}
