/// From a question to a faster feature, in ten steps.
enum TraceChecklist {
  static let text = """
    Ten steps to review a feature that uses a language model

     1. Choose one action of the user's and write down what should happen: which sessions, which
        tools with which arguments, how long it may take.
     2. Mark it: withTraceInterval("plan trip", counts: ["notes": n]) { … }. Names are literals and
        counts numbers; no text of the user's belongs into a mark.
     3. Record a release build, once cold and several times warm:
        FM_TRACE=trip.jsonl ./app, then fmbench trace trip.jsonl. Leave content off.
     4. Look at the boundaries first: is every session, profile and hand-off where you expect it,
        and nothing beside it? A new session for every turn pays for its prefix every turn.
     5. Look at the context: tokens of each session's first call, what each prompt and each tool's
        output adds, how much of the window is left, whether a schema is sent again and again.
     6. Keep five numbers apart: time to the first token, rate of generation, time of the whole
        request, time in tools, time between sessions. One average of them explains nothing.
     7. Compare tool time with model time. A slow tool is not made faster by a smaller prompt.
     8. Go through the tool calls: the tool you expected, arguments you would have chosen, no
        repeats that are nearly the same, and a clear reason to stop.
     9. Change one thing (a bounded tool for a full prompt, a budget, narrower instructions, short
        phrases as arguments, another split into sessions), record again, and compare:
        fmbench run measures the change over many trials, and fmbench compare puts devices side by side.
    10. Before a recording leaves your machine: without content it has names and counts only. With
        content it is private data, redacted or not; add --redact PATTERN for what only you know, and
        delete it when the question is answered.

    """
}
