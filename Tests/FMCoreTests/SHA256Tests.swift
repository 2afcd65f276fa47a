import FMCore
import Testing

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `gives the published digests`(message: String, digest: String) {
    #expect(SHA256.hexDigest(message.utf8) == digest)
  }

  @Test func `gives one digest whatever the pieces`() {
    let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let whole = SHA256.hexDigest(message)
    for size in [1, 7, 63, 64, 65, 200] {
      var hash = SHA256()
      for start in stride(from: 0, to: message.count, by: size) {
        let piece = Array(message[start..<min(start + size, message.count)])
        piece.withUnsafeBytes { hash.update($0) }
      }
      #expect(hash.finish() == whole)
    }
  }
}
