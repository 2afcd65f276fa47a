import FMText
import Foundation
import Testing

/// Hostile and broken templates: a typed error, soon, in little memory.
@Suite struct TemplateLimitTests {
  static let hostile: [String] = [
    "{% for i in range(10**9) %}x{% endfor %}",
    "{{ range(99999999999999)|list }}",
    "{{ 'a'*10**9 }}",
    "{{ [0]*10**9 }}",
    "{{ 'a'*2**62 }}{{ 'ab'*2**63 }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(x) %}{{ m([x]) }}{% endmacro %}{{ m(1) }}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{{ " + String(repeating: "(", count: 100_000) + "1" + String(repeating: ")", count: 100_000)
      + " }}",
    "{{ " + String(repeating: "(", count: 100_000) + "1" + String(repeating: ")", count: 100_000)
      + " }}{{ x y }}",
    "{{ " + String(repeating: "[", count: 100_000) + " }}",
    "{{ " + String(repeating: "-", count: 100_000) + "1 }}",
    "{{ " + String(repeating: "1 if 1 else ", count: 50_000) + "1 }}",
    String(repeating: "{% if 1 %}", count: 50_000),
    String(repeating: "{% for x in y %}", count: 20_000),
    "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}",
    "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(90) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(90) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(90) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x == ns.x + [] }}{{ ns.x|tojson }}",
    "{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}",
    "{{ ('a'*1000000).replace('a', 'b'*1000000) }}",
    "{{ ('a,'*1000000).split(',') }}",
    "{{ '%999999999d' % 1 }}", "{{ '{:999999999}'.format(1) }}", "{{ 'a'.center(10**9) }}",
    "{{ 'a'|indent(10**9) }}{{ ('a\n'*10000)|indent(10000) }}", "{{ [1]|tojson(indent=10**9) }}",
    "{{ '1'.zfill(10**10) }}", "{{ '\t'.expandtabs(10**10) }}", "{{ [1]|batch(10**9, 0)|list }}",
    "{{ [1]|slice(10**9)|list }}", "{{ '*'.join('a'*1000000) }}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) %}{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' * 1000 }}{% endfor %}",
    "{% set s = 'a'*1000000 %}{% for i in range(99999) %}{% if s in s %}{% endif %}{% endfor %}",
    "{% set s = 'a'*1000000 %}{% for i in range(99999) %}{% if s == s ~ '' %}{% endif %}{% endfor %}",
    "{% set s = 'a'*1000000 %}{% for i in range(99999) %}{{ s[500000] }}{% endfor %}",
    "{% set s = 'a'*1000000 %}{% for i in range(99999) %}{{ s|length }}{% endfor %}",
    "{% for i in range(99999) %}{{ range(99999)|length }}{% endfor %}",
    "{% for i in range(99999) %}{% set n = namespace(a=range(1000)) %}{% endfor %}{{ 10**30 }}",
    "{{ 9223372036854775807 + 1 }}", "{{ -9223372036854775807 - 2 }}", "{{ 2**64 }}",
    "{{ (-9223372036854775807 - 1) // -1 }}", "{{ (-9223372036854775807 - 1)|abs }}",
    "{{ 99999999999999999999 }}", "{{ '99999999999999999999'|int }}x{{ 1e300|int }}",
    "{{ 1 % 0 }}", "{{ 1.0 // 0 }}", "{{ 'a'[::0] }}",
    "{{ [1][::-9223372036854775807 - 1] }}{{ 1/0 }}",
    "{{ 'abc'[9223372036854775807:-9223372036854775807:9223372036854775807] }}{{ 1/0 }}",
    "{{ raise_exception('no') }}",
  ]

  @Test(arguments: hostile.indices)
  func `a hostile template ends in an error within two seconds of processor time`(index: Int) throws
  {
    let outcome = onSmallStack { () throws(TemplateError) in
      try ChatTemplate(source: Self.hostile[index]).render([ChatMessage(.user, "hi")])
    }
    #expect(try !#require(outcome.error).description.isEmpty)
    #expect(outcome.processorSeconds < 2)
  }

  private struct Outcome: Sendable {
    var error: TemplateError?
    /// Of the thread, so that a busy machine changes nothing.
    var processorSeconds = 0.0
  }

  /// Runs `body` on a thread with 512 KB of stack.
  private func onSmallStack(
    _ body: @escaping @Sendable () throws(TemplateError) -> RenderedPrompt
  ) -> Outcome {
    let box = OutcomeBox()
    let thread = Thread {
      do throws(TemplateError) {
        _ = try body()
      } catch {
        box.outcome.error = error
      }
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      box.outcome.processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
      box.done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    box.done.wait()
    return box.outcome
  }

  // SAFETY: `outcome` is written before `done` is signalled and read after it was waited for.
  private final class OutcomeBox: @unchecked Sendable {
    var outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
  }

  @Test func `names everything it lacks when the template is read`() {
    let source =
      "{{ a|foo }}{{ a is bar }}{{ baz() }}{{ a|map('qux') }}{{ a|select('nope') }}{{ a|foo }}"
    #expect(
      throws: TemplateError.unsupported([
        "filter 'foo'", "test 'bar'", "filter 'qux'", "test 'nope'", "function 'baz'",
      ])
    ) { try ChatTemplate(source: source) }
    for tag in [
      "include 'x'", "import 'x' as y", "extends 'x'", "from 'x' import y", "do x", "foo",
    ] {
      let name = tag.split(separator: " ").first.map(String.init) ?? ""
      #expect(throws: TemplateError.unsupported(["tag '\(name)'"])) {
        try ChatTemplate(source: "{% \(tag) %}")
      }
    }
    // A function that the template asks for before calling it may be missing.
    #expect(throws: Never.self) {
      try ChatTemplate(source: "{% if foo is defined %}{{ foo() }}{% endif %}")
    }
  }

  @Test func `says where a template is broken`() {
    #expect(throws: TemplateError.syntax(line: 2, reason: "unexpected '}}'")) {
      try ChatTemplate(source: "a\n{{ 1 + }}")
    }
    #expect(throws: TemplateError.raised("no 7")) {
      try ChatTemplate(source: "{{ raise_exception('no ' ~ 7) }}").render([])
    }
    #expect(throws: TemplateError.undefined(line: 3, what: "'x' is undefined")) {
      try ChatTemplate(source: "\n\n{{ x.y }}").render([])
    }
  }

  @Test(arguments: 0..<8)
  func `mutated templates never trap`(seed: UInt64) throws {
    let sources = Self.seeds
    var generator = SplitMix(state: seed)
    for round in 0..<150 {
      var bytes = Array(sources[round % sources.count].utf8)
      for _ in 0...generator.below(6) { Self.mutate(&bytes, by: &generator) }
      let source = String(decoding: bytes, as: UTF8.self)
      var options = ChatTemplateOptions(date: TemplateGoldens.date)
      options.limits.steps = 20_000
      options.tools = [["type": "function", "function": ["name": "f", "parameters": [:]]]]
      do throws(TemplateError) {
        let template = try ChatTemplate(source: source)
        _ = try template.render(
          [ChatMessage(.system, "s"), ChatMessage(.user, "é <|im_end|>")], options: options)
      } catch {
        #expect(!error.description.isEmpty, "seed \(seed), round \(round)")
      }
    }
  }

  private static let seeds = [
    "{% for m in messages %}{{ '<|' + m['role'] + '|>' }}{{ m.content|trim }}{% endfor %}",
    "{%- macro f(a, b=2) -%}{{ a ~ b }}{% if a > 0 %}{{ f(a - 1) }}{% endif %}{%- endmacro -%}"
      + "{{ f(3) }}{{ tools | tojson(indent=2) }}",
    "{% set ns = namespace(x=0) %}{% for i in range(5) %}{% set ns.x = ns.x + i %}{% endfor %}"
      + "{{ '%5.2f|%s' % (ns.x, 'a') }}{{ messages[-1].content[::-1][1:3] }}",
    "{{ messages|selectattr('role','equalto','user')|map(attribute='content')|join(', ') }}"
      + "{# c #}{% raw %}{{ x }}{% endraw %}{{ '{:>5}'.format('é') }}{{ strftime_now('%d %b') }}",
  ]

  private static func mutate(_ bytes: inout [UInt8], by generator: inout SplitMix) {
    guard !bytes.isEmpty else { return }
    let position = generator.below(bytes.count)
    let fragments = [
      "{{", "}}", "{%", "%}", "{#", "-", "'", "|", "(", ")", "[", "]", "::-1", "**", " if ", "é",
      "\\", "\u{0}", "{% endfor %}", "{% else %}", " is ", " not ", ".0", "9999999999",
    ]
    switch generator.below(4) {
    case 0: bytes.remove(at: position)
    case 1: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
    case 2:
      let fragment = fragments[generator.below(fragments.count)]
      bytes.insert(contentsOf: fragment.utf8, at: position)
    default:
      let end = min(bytes.count, position + generator.below(12))
      bytes.insert(contentsOf: Array(bytes[position..<end]), at: generator.below(bytes.count))
    }
  }

  /// A small seeded generator (SplitMix64).
  private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  }
}
