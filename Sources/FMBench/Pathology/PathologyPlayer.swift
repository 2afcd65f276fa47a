import FMCore
import FMEngine
package import FMRuntime
package import FMTrace
import FoundationModels

/// One form of a pair, played, and what a review of its trace says.
package struct PlayedForm: Sendable {
  /// A question whose findings are not as many as the file says.
  package struct Deviation: Sendable, Hashable {
    package var question: ReviewQuestion
    package var expected: Int
    package var found: Int
  }

  package var review: TraceReview
  package var figures: [TraceFigure]
  /// Empty where every detector found what it should, and nothing else.
  package var deviations: [Deviation]
}

/// A pair, played in both forms.
package struct PlayedPair: Sendable {
  package var pair: PathologyPair
  package var before: PlayedForm
  package var after: PlayedForm

  /// Whether both forms have exactly the findings their file says.
  package var isAsExpected: Bool { before.deviations.isEmpty && after.deviations.isEmpty }
}

/// Plays pairs of the pathology set through sessions with tools and a model that follows the script.
package struct PathologyPlayer: Sendable {
  private let set: PathologySet
  private let model: LoadedModel?

  /// A player of a set's pairs: on a model that reads every prompt and is made to say what the file says, or,
  /// where there is none, on a script alone.
  package init(_ set: PathologySet, on model: LoadedModel? = nil) {
    self.set = set
    self.model = model
  }

  /// Plays both forms of a pair, one after the other.
  ///
  /// Nothing waits: times of tools and pauses are leaps of the recorded clock.
  /// - Throws: what the session throws where a script does not fit its tools.
  package func play(_ pair: PathologyPair) async throws -> PlayedPair {
    PlayedPair(
      pair: pair, before: try await play(pair.before), after: try await play(pair.after))
  }

  private func play(_ form: PathologyPair.Form) async throws -> PlayedForm {
    // What the other form left in the cache is not this one's.
    await model?.engine.clearPrefixCache()
    let trace = try await record(form)
    let tree = TraceTree(trace)
    let review = TraceReview(tree)
    let deviations = review.answers.compactMap { answer -> PlayedForm.Deviation? in
      let found = answer.findings.count + answer.more
      let expected = form.finds[answer.question.rawValue] ?? 0
      // How long a real model takes is up to the machine.
      let isOwnTime = model != nil && answer.question == .slowToolOrModel && found > expected
      return found == expected || isOwnTime
        ? nil
        : PlayedForm.Deviation(question: answer.question, expected: expected, found: found)
    }
    return PlayedForm(
      review: review, figures: TraceFigure.all(of: tree, review.numbers), deviations: deviations)
  }

  /// Records what the form does; sessions end before the trace is taken.
  private func record(_ form: PathologyPair.Form) async throws -> Trace {
    let tracer = LeapingTracer(
      recordsContent: form.recordsContent ?? false, isReal: model != nil)
    try await ProcessTracer.$override.withValue(tracer) {
      guard let action = form.action else { return try await requests(form, tracer) }
      let interval = SpanID.next()
      var attributes = [TraceAttribute("name", .name(action.name))]
      if let expected = action.expects {
        attributes.append(TraceAttribute(ExpectedCall.countKey, .count(expected.count)))
      }
      tracer.begin(interval, kind: .interval, parent: nil, at: .now, attributes: attributes)
      for expected in action.expects ?? [] {
        ExpectedCall(
          tool: expected.tool,
          calls: (expected.least ?? 1)...max(expected.least ?? 1, expected.most ?? .max),
          about: expected.about, mostWords: expected.mostWords
        ).record(in: interval, by: tracer)
      }
      try await SpanContext.$interval.withValue(interval) { try await requests(form, tracer) }
      tracer.end(interval, at: .now, attributes: [])
    }
    return tracer.trace
  }

  private func requests(_ form: PathologyPair.Form, _ tracer: LeapingTracer) async throws {
    let queue = AnswerQueue()
    let model: any LanguageModel =
      if let model {
        ScriptedLanguageModel(LocalLanguageModel(model), director: PathologyDirector(queue))
      } else {
        ScriptedAnswerModel(queue)
      }
    let tools = try (form.tools ?? []).map {
      try CannedTool($0, output: text($0.output), tracer: tracer)
    }
    var sessions: [String: LanguageModelSession] = [:]
    for request in form.requests {
      guard let description = form.sessions.first(where: { $0.name == request.session }) else {
        continue
      }
      for prompt in request.prompts(records: set.records) {
        tracer.leap(milliseconds: request.pauseMilliseconds ?? 0)
        if request.fresh ?? false { sessions[request.session] = nil }
        let session =
          sessions[request.session]
          ?? LanguageModelSession(
            model: model,
            tools: tools.filter { (description.tools ?? []).contains($0.name) },
            instructions: description.instructions.map(text))
        sessions[request.session] = session
        queue.prepare(request.answers)
        if let fields = request.schema {
          _ = try await session.respond(
            to: prompt, schema: GenerationSchema(fields: fields, name: "Answer"),
            includeSchemaInPrompt: request.schemaInPrompt ?? true)
        } else {
          _ = try await session.respond(to: prompt)
        }
      }
    }
  }

  private func text(_ text: PathologyPair.Text) -> String { text.text + set.records(text.records) }
}
