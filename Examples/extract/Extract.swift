import Foundation
import FoundationModels

/// A meeting found in a text.
@Generable struct Meeting {
  @Guide(description: "Who it is with")
  var person: String
  @Guide(description: "The day it is on")
  var day: Day
  @Guide(description: "The hour it starts, as 09:30", /([01][0-9]|2[0-3]):[0-5][0-9]/)
  var start: String
  @Guide(description: "How many minutes it takes", .range(5...240))
  var minutes: Int
  @Guide(description: "Where it is, if the text says so")
  var place: String?
}

/// A day of the week.
@Generable enum Day: String {
  case monday, tuesday, wednesday, thursday, friday
}

/// Reads meetings out of a text and prints them as typed records while they come.
///
///     extract [--model MODEL] < notes.txt
@main
struct Extract {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    let instructions = "You read meetings out of notes, exactly as they are written."
    let session: LanguageModelSession
    if arguments.count > 2, arguments[1] == "--model" {
      session = LanguageModelSession(
        model: LocalLanguageModel(path: arguments[2]), instructions: instructions)
    } else {
      session = LanguageModelSession(instructions: instructions)
    }
    let stream = session.streamResponse(
      to: text, generating: Meeting.self,
      options: GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 160))
    var shown = 0
    for try await snapshot in stream {
      let partial = snapshot.content
      let fields = [
        partial.person, partial.day?.rawValue, partial.start, partial.minutes.map(String.init),
      ].compactMap { $0 }
      if fields.count > shown {
        shown = fields.count
        FileHandle.standardError.write(Data("\(shown) fields so far\n".utf8))
      }
    }
    let meeting = try await stream.collect().content
    print("\(meeting.person), \(meeting.day.rawValue) at \(meeting.start), \(meeting.minutes) min")
    print("place: \(meeting.place ?? "not said")")
  }
}
