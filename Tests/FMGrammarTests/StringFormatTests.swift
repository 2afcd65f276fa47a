import FMGrammar
import Testing

@Suite struct StringFormatTests {
  private static func accepts(_ name: String, _ text: String) throws -> Bool {
    try #require(try StringFormat.automaton(name)).accepts(Array(text.utf8))
  }

  @Test func `every day from 1900 to 2100 is a date and no other one is`() throws {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for year in Array(1900...2100) + [1, 4, 100, 400, 1600, 9996, 9999] {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for month in 0...13 {
        for day in 0...32 {
          let length = month == 2 && isLeap ? 29 : lengths[min(max(month - 1, 0), 11)]
          let isDay = (1...12).contains(month) && (1...length).contains(day)
          let text =
            Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2)
          #expect(try Self.accepts("date", text) == isDay, "\(text)")
        }
      }
    }
    #expect(try !Self.accepts("date", "0000-01-01"))
    #expect(try !Self.accepts("date", "0000-02-29"))
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  private static let table: [(name: String, yes: [String], no: [String])] = [
    ("date", ["2024-02-29"], ["2023-02-29", "24-02-29", "2024-2-29", "2024-02-29 ", "１999-01-01"]),
    (
      "time", ["00:00:00Z", "23:59:59.123456789+23:59", "12:00:00-00:30"],
      ["24:00:00Z", "23:60:00Z", "23:59:60Z", "12:00:00", "12:00Z", "12:00:00.Z", "12:00:00+24:00"]
    ),
    (
      "date-time", ["2024-02-29T23:59:59Z", "2000-01-01T00:00:00.5+01:00"],
      ["2024-02-30T00:00:00Z", "2024-02-29 23:59:59Z", "2024-02-29T23:59:59", "2024-02-29"]
    ),
    (
      "duration", ["P1D", "P1Y2M3D", "PT1H2M3S", "P4W", "P1DT12H", "PT36H"],
      ["P", "PT", "P1D1Y", "P1W1D", "1D", "P1Y2D", "PT1H3S", "P1DT", "PT1D", "P1H"]
    ),
    (
      "email", ["a@b.co", "first.last+tag@sub.example-site.org", "x_y@a.b.cd"],
      [
        "a", "a@b", "@b.co", "a@", "a..b@c.de", ".a@b.co", "a.@b.co", "a@-b.co", "a@b..co",
        "a b@c.de",
      ]
    ),
    (
      "hostname", ["a", "example.com", "a-b.c1.d", String(repeating: "a", count: 63)],
      ["", "-a", "a-", "a..b", ".a", "a.", "a_b", String(repeating: "a", count: 64), "é.fr"]
    ),
    (
      "ipv4", ["0.0.0.0", "255.199.10.1"],
      ["256.0.0.0", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1..2.3"]
    ),
    (
      "ipv6",
      [
        "::", "::1", "1::", "1:2:3:4:5:6:7:8", "2001:db8::ff00:42:8329", "1::8", "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2::7:8",
      ],
      [
        "", ":", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", ":::",
        "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", ":1::2", "1:", "1:2:3:4::5:6:7:8",
      ]
    ),
    (
      "uuid", ["123e4567-e89b-12d3-a456-426614174000", "ABCDEF00-0000-0000-0000-000000000000"],
      ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"]
    ),
    (
      "uri",
      [
        "http://example.com", "https://u:p@a.b:8080/x/y%20z?q=1&r#frag", "mailto:a@b.co",
        "urn:isbn:123", "http://[::1]/", "file:/etc", "tel:+1-2", "a:b",
      ],
      [
        "", "example.com", "http://", "//a/b", "http://a b", "http://a/%2", "http://a:99999/",
        "1a:b", "http://é.fr", "http://a/\"", "http://a/<x>", "a:",
      ]
    ),
    (
      "uri-reference", ["", "a/b", "/a", "//a/b", "?q", "#f", "http://a", "./a:b", "../x"],
      ["a b", "\\a", "%", "{x}", "1:b"]
    ),
    (
      "uri-template", ["", "http://a/{x}", "/{+a,b*}{?c:3}", "a"],
      ["{", "{}", "a}", "{a", "{a b}", "a'b", "{{a}}", "{a,}"]
    ),
    ("json-pointer", ["", "/", "/a/0/~0~1", "/é"], ["a", "/~", "/~2", "#/a"]),
    ("relative-json-pointer", ["0", "1/a", "10#"], ["", "/a", "01", "-1", "1#/a"]),
    ("iri", ["http://a"], ["a"]),
    ("idn-hostname", ["a.b"], ["a b"]),
    ("iri-reference", ["a"], ["a b"]),
    ("idn-email", ["a@b.co"], ["a"]),
  ]

  @Test func `formats accept what they are and nothing else`() throws {
    #expect(Set(Self.table.map(\.name)) == Set(StringFormat.names))
    for row in Self.table {
      for text in row.yes { #expect(try Self.accepts(row.name, text), "\(row.name): \(text)") }
      for text in row.no { #expect(try !Self.accepts(row.name, text), "\(row.name): \(text)") }
    }
  }

  @Test func `every format is made within a second`() throws {
    for name in StringFormat.names {
      let seconds = try processorSeconds {
        let automaton = try #require(try StringFormat.automaton(name))
        #expect(automaton.stateCount < 20_000)
        #expect(try automaton.isSubset(of: .text))
        #expect(try JSONStringAutomaton.strings(of: automaton) != nil)
      }
      #expect(seconds < 1, "\(name) took \(seconds) s")
    }
  }

  @Test func `unknown formats are nil and patterns as texts are refused`() throws {
    #expect(try StringFormat.automaton("phone") == nil)
    #expect(try StringFormat.automaton("") == nil)
    #expect(throws: GrammarError.self) { try StringFormat.automaton("regex") }
  }
}
