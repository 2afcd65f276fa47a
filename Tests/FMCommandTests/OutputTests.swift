import FMCommand
import FMCore
import Testing

@Suite struct OutputTests {
  @Test func `formats sizes with three digits`() {
    #expect(Format.bytes(0) == "0 B")
    #expect(Format.bytes(999) == "999 B")
    #expect(Format.bytes(1000) == "1.00 kB")
    #expect(Format.bytes(98_362_432) == "98.4 MB")
    #expect(Format.bytes(999_999) == "1.00 MB")
    #expect(Format.bytes(253_113_024) == "253 MB")
    #expect(Format.bytes(Int.max) == "9.22 EB")
    #expect(Format.count(134_515_008) == "135 M")
    #expect(Format.count(12) == "12")
  }

  @Test func `formats durations`() {
    #expect(Format.duration(seconds: 0.000_85) == "850 µs")
    #expect(Format.duration(seconds: 0.0123) == "12.3 ms")
    #expect(Format.duration(seconds: 1.239) == "1.24 s")
    #expect(Format.duration(seconds: 125) == "2:05")
    #expect(Format.duration(seconds: 3725) == "1:02:05")
    #expect(Format.duration(seconds: .infinity) == "–")
    #expect(Format.duration(seconds: -1) == "–")
    #expect(Format.duration(seconds: 1e300).hasSuffix(":40"))
  }

  @Test func `formats numbers with fixed digits`() {
    #expect(Format.fixed(2.345, digits: 2) == "2.35" || Format.fixed(2.345, digits: 2) == "2.34")
    #expect(Format.fixed(-0.001, digits: 2) == "0.00")
    #expect(Format.fixed(-1.5, digits: 1) == "-1.5")
    #expect(Format.fixed(7, digits: 0) == "7")
    #expect(Format.fixed(0.05, digits: 3) == "0.050")
    #expect(Format.fixed(.nan, digits: 1) == "nan")
    #expect(Format.fixed(1e300, digits: 1) == "1e+300")
    #expect(Format.fixed(9e14, digits: 9) == "9e+14" || !Format.fixed(9e14, digits: 9).isEmpty)
  }

  @Test func `lays columns out`() {
    var table = Table([Table.Column("name"), Table.Column("size", .right), Table.Column("é")])
    table.add(["a", "1.0 MB", "x"])
    table.add(["longer", "12"])
    #expect(
      table.text == """
        name      size  é
        a       1.0 MB  x
        longer      12

        """)
  }

  @Test func `cells and messages cannot steer a terminal`() {
    var table = Table([Table.Column("name")])
    table.add(["a\u{1B}[31m\nb"])
    #expect(table.text == "name\na\\u{1b}[31m\\nb\n")
    #expect(Printable.message("one\u{7}\ntwo\r\n") == "one\\u{7}\ntwo\\r\n")
    let lines = String(repeating: "x\n", count: 100)
    #expect(Printable.message(lines).split(separator: "\n").count == 51)
    #expect(Printable.message(String(repeating: "y", count: 3000)).count == 2001)
  }

  @Test func `writes JSON in the order given`() {
    let value = JSONValue.object([
      ("z", .integer(1)), ("a", .array([.null, .bool(true), .number(0.1), .number(.nan)])),
      ("s", .string("q\"\\\n\u{1}é\u{7F}😀")), ("e", .array([])), ("o", .object([])),
    ])
    #expect(
      value.text == #"{"z":1,"a":[null,true,0.1,null],"#
        + #""s":"q\"\\\n\u0001é\u007f😀","e":[],"o":{}}"#)
    #expect(
      JSONValue.object([("a", .array([.integer(1), .string("b")])), ("c", .number(1e300))])
        .prettyText == """
          {
            "a": [
              1,
              "b"
            ],
            "c": 1e+300
          }

          """)
  }

  @Test func `draws progress inside the width`() {
    var bar = ProgressBar("model", total: 100_000_000, isShown: false)
    bar.update(1)
    bar.finish()
    let later = MonotonicInstant(nanoseconds: MonotonicInstant.now.nanoseconds + 2_000_000_000)
    let wide = bar.line(50_000_000, at: later, width: 120)
    #expect(wide.hasPrefix("model  [###############---------------] 50%  50.0 MB of 100 MB  "))
    #expect(wide.contains("MB/s"))
    #expect(bar.line(0, at: later, width: 120).contains("0%"))
    #expect(bar.line(200_000_000, at: later, width: 120).contains("100%"))
    for width in [0, 1, 10, 30, 60, 80] {
      #expect(bar.line(50_000_000, at: later, width: width).count < max(1, width))
    }
    let unknown = ProgressBar("x", total: nil, isShown: false)
    #expect(unknown.line(5_000_000, at: later, width: 80).hasPrefix("x  5.00 MB"))
  }
}
