import Foundation
import FoundationModels
import Testing

@Suite struct TranscriptCodingTests {
  @Test(.enabled(if: AppleFixtures.folder != nil, "\(AppleFixtures.reason)"))
  func `a transcript of Apple's framework goes through without loss`() throws {
    let theirs = try AppleFixtures.data("transcript.json")
    let transcript = try JSONDecoder().decode(Transcript.self, from: theirs)
    #expect(transcript.count == 7)
    let ours = try JSONEncoder().encode(transcript)
    #expect(try jsonObject(ours) == jsonObject(theirs))
    #expect(try JSONDecoder().decode(Transcript.self, from: ours) == transcript)
  }

  private var everything: Transcript {
    let definition = Transcript.ToolDefinition(
      name: "find", description: "Finds", parameters: Age.generationSchema)
    let text = Transcript.Segment.text(Transcript.TextSegment(id: "t", content: "x\n\"é"))
    let content = GeneratedContent(properties: ["a": 1.5, "b": [true], "c": "d"])
    let image = Transcript.ImageAttachment(data: Data([1, 2, 3]), mimeType: "image/png")
    let link = URL(string: "https://example.org/a.png").map {
      Transcript.ImageAttachment(imageURL: $0)
    }
    return Transcript(entries: [
      .instructions(.init(id: "i", segments: [text], toolDefinitions: [definition])),
      .prompt(
        .init(
          id: "p",
          segments: [
            text, .attachment(.init(id: "m", content: .image(image), label: "cat")),
            .attachment(.init(id: "n", content: .image(link ?? image))),
          ],
          options: GenerationOptions(
            samplingMode: .random(top: 7, seed: .max), temperature: 0.5, maximumResponseTokens: 9,
            toolCallingMode: .disallowed),
          responseFormat: .init(schema: Person.generationSchema),
          contextOptions: ContextOptions(
            includeSchemaInPrompt: false, reasoningLevel: .custom("much")),
          metadata: ["k": "v", "n": 3])),
      .reasoning(
        .init(id: "r", segments: [text], signature: Data([9]), metadata: ["z": [1]])),
      .toolCalls(
        .init(
          id: "c",
          [
            .init(id: "c1", toolName: "find", arguments: content),
            .init(id: "c2", toolName: "find", arguments: content, metadata: ["m": true]),
          ])),
      .toolOutput(.init(id: "c1", toolName: "find", segments: [text])),
      .toolOutput(
        .init(
          id: "c2", toolName: "find",
          segments: [.structure(.init(id: "s", schemaName: "Age", content: content))])),
      .response(.init(id: "a", assetIDs: ["file"], segments: [text])),
      .response(.init(id: "b", metadata: ["note": "n"], segments: [])),
    ])
  }

  @Test func `every kind of entry goes through without loss`() throws {
    let data = try JSONEncoder().encode(everything)
    let decoded = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(decoded == everything)
    #expect(try jsonObject(encoding: decoded) == jsonObject(data))
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""version":"1.1""#))
    #expect(text.contains(#""reasoningLevel":"much""#))
  }

  @Test(arguments: [
    GenerationOptions(), GenerationOptions(samplingMode: .greedy),
    GenerationOptions(samplingMode: .random(probabilityThreshold: 0.9, seed: 3)),
    GenerationOptions(samplingMode: .random(top: 1)),
    GenerationOptions(toolCallingMode: .required), GenerationOptions(toolCallingMode: .allowed),
  ])
  func `options go through without loss`(options: GenerationOptions) throws {
    let transcript = Transcript(entries: [.prompt(.init(segments: [], options: options))])
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
    #expect(!String(decoding: data, as: UTF8.self).contains("null"))
  }

  @Test(arguments: [
    "{}", "[]", #"{"type":"FoundationModels.Transcript","version":2,"transcript":{"entries":[]}}"#,
    #"{"type":"Other","version":1,"transcript":{"entries":[]}}"#,
    #"{"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[{"role":"x","id":"1"}]}}"#,
    #"{"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[{"role":"user"}]}}"#,
    #"{"type":"FoundationModels.Transcript","version":1,"transcript":{"entries":[{"role":"user","id":"1","contents":[{"type":"sound"}]}]}}"#,
  ])
  func `documents that are no transcripts are refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    }
  }

  @Test func `an image whose file is gone fails when it is saved`() throws {
    let gone = Transcript.ImageAttachment(
      imageURL: FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png"))
    let transcript = Transcript(entries: [
      .prompt(.init(segments: [.attachment(.init(content: .image(gone)))]))
    ])
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(transcript) }
  }

  @Test func `a transcript is a collection that can be edited`() {
    var transcript = everything
    #expect(transcript.map(\.id) == ["i", "p", "r", "c", "c1", "c2", "a", "b"])
    transcript.remove(at: 2)
    transcript.swapAt(0, 1)
    #expect(transcript.map(\.id) == ["p", "i", "c", "c1", "c2", "a", "b"])
    transcript = Transcript(entries: everything.prefix(1) + everything.suffix(1))
    #expect(transcript.map(\.id) == ["i", "b"])
    #expect(Transcript().isEmpty)
  }

  @Test func `history leaves the instructions out and edits the rest`() {
    var transcript = everything
    #expect(transcript.history.count == 7)
    transcript.history.removeAll { entry in if case .response = entry { false } else { true } }
    #expect(transcript.map(\.id) == ["i", "a", "b"])
    transcript.history = []
    #expect(transcript.map(\.id) == ["i"])
    var plain = Transcript()
    plain.history.append(everything[6])
    #expect(plain.map(\.id) == ["a"])
    #expect(plain.history[plain.history.startIndex].id == "a")
  }
}
