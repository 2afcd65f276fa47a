/// The span that work belongs to, in the task that does it.
package enum SpanContext {
  /// What a span that begins here is inside of.
  @TaskLocal package static var current: SpanID?
  /// The innermost interval of the application.
  @TaskLocal package static var interval: SpanID?
}
