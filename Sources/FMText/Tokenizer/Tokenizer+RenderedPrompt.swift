package import FMCore

extension Tokenizer {
  /// The tokens of a rendered prompt, without a beginning token.
  ///
  /// Control tokens are read from the template's stretches alone, each from within one stretch.
  /// What lies between two of them is encoded as one text, whoever wrote it.
  package func encode(_ prompt: RenderedPrompt) -> [TokenID] {
    var pass = EncodingPass(capacity: prompt.spans.reduce(0) { $0 + $1.bytes.count })
    var pending: [UInt8] = []
    for span in prompt.spans {
      if span.isTemplate {
        encodeTemplate(span.bytes, pending: &pending, &pass)
      } else {
        pending.append(contentsOf: span.bytes)
      }
    }
    flush(&pending, &pass)
    return pass.output
  }

  private func encodeTemplate(
    _ bytes: [UInt8], pending: inout [UInt8], _ pass: inout EncodingPass
  ) {
    bytes.withUnsafeBufferPointer { bytes in
      withMarkersAsSpaces(bytes) { encodeTemplate($0, pending: &pending, &pass) }
    }
  }

  private func encodeTemplate(
    _ bytes: UnsafeBufferPointer<UInt8>, pending: inout [UInt8], _ pass: inout EncodingPass
  ) {
    var copied = 0
    var offset = 0
    while let match = firstSpecial(in: bytes, from: offset, parsingSpecial: true) {
      offset = match.end
      // A user-defined token is found again when the text around it is encoded.
      guard isControl(match.token) else { continue }
      pending.append(contentsOf: bytes[copied..<match.start])
      flush(&pending, &pass)
      pass.append(special: match.token)
      copied = match.end
    }
    pending.append(contentsOf: bytes[copied...])
  }

  private func flush(_ pending: inout [UInt8], _ pass: inout EncodingPass) {
    pending.withUnsafeBufferPointer { bytes in
      withMarkersAsSpaces(bytes) { encode($0, parsingSpecial: false, &pass) }
    }
    pending.removeAll(keepingCapacity: true)
  }
}
