import FMBench
import FMEngine
import FMTestSupport
import Foundation
import Testing

@Suite struct GuidedNoiseTests {
  private func cases() throws -> GuidedCases {
    try GuidedCases(
      folder: Suite.folder(of: "guided", holding: GuidedCases.fileName, program: nil))
  }

  @Test func `every schema is answered within the budget whatever tokens are drawn`() async throws {
    let noise = GuidedNoise(tokenizer: try TinyTokenizer.byteLevelTokenizer(), budget: 2500)
    var count = 0
    for schema in try cases().schemas {
      try await noise.answers(to: schema, count: 1) { answer in
        #expect(answer.isComplete && answer.tokens <= 2500, "\(answer)")
        let value = try? JSONSerialization.jsonObject(
          with: Data(answer.text.utf8), options: .fragmentsAllowed)
        #expect(value != nil, "\(schema.name): \(answer.text)")
        count += 1
      }
    }
    #expect(count == 200)
  }

  @Test(arguments: [
    ("", "schemas.jsonl is malformed: it has no schema"),
    ("{", "schemas.jsonl is malformed: line 1 is no JSON"),
    ("\n\n7", "schemas.jsonl is malformed: line 3 is no JSON object"),
    (#"{"group":"g","schema":"{}"}"#, "schemas.jsonl is malformed: line 1 has no 'name'"),
    (
      #"{"group":"g","name":"n","schema":{}}"#,
      "schemas.jsonl is malformed: line 1 needs text as its 'schema'"
    ),
  ])
  func `a malformed folder is an error that names the line and what is wrong`(
    schemas: String, message: String
  ) throws {
    let folder = try TemporaryFolder()
    try Data(schemas.utf8).write(to: folder.url.appending(path: "schemas.jsonl"))
    try Data().write(to: folder.url.appending(path: "documents.jsonl"))
    #expect { try GuidedCases(folder: folder.url) } throws: { "\($0)" == message }
  }

  @Test func `an answer that is cut says so`() async throws {
    let noise = GuidedNoise(
      tokenizer: try TinyTokenizer.byteLevelTokenizer(), budget: 5, ending: .cut)
    let schema = try #require(try cases().schema("plan"))
    try await noise.answers(to: schema, count: 3) { answer in
      #expect(!answer.isComplete && answer.tokens == 5)
    }
  }

  @Test func `the documents are answers to their schemas`() throws {
    let cases = try cases()
    let report = try MaskReport(
      model: "tiny", cases: cases, tokenizer: try TinyTokenizer.byteLevelTokenizer())
    #expect(report.documents.count == cases.documents.count)
    #expect(report.times().count > 1000)
    #expect(report.documents.allSatisfy { $0.tokens.count == $0.nanoseconds.count })
  }
}
