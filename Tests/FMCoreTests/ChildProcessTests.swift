import FMCore
import Glibc
import Testing

@Suite struct ChildProcessTests {
  /// Runs a shell's script with an input and gives its end and its output.
  private func run(
    _ script: String, input text: String = "", environment: [String: String] = [:]
  ) throws -> (end: ChildProcess.End, output: String) {
    let input = try ChildProcess.pipe()
    let output = try ChildProcess.pipe()
    defer { close(output.read) }
    let child = try ChildProcess(
      ["sh", "-c", script], input: input.read, output: output.write, errors: output.write,
      environment: environment)
    close(input.read)
    close(output.write)
    // A child that is gone already must not take this process with it.
    if !text.isEmpty {
      _ = Array(text.utf8).withUnsafeBytes {
        send(input.write, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
    close(input.write)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes {
        read(output.read, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if more <= 0 { break }
      count += more
    }
    return (try child.wait(), String(decoding: bytes[..<count], as: UTF8.self))
  }

  @Test func `tells how a program ended, and what it said`() throws {
    let plain = try run("cat; echo problem >&2; exit 3", input: "words ")
    #expect(plain.end == .exited(3))
    #expect(plain.output == "words problem\n")
    #expect(try run("kill -15 $$").end == .signalled(SIGTERM))
  }

  @Test func `its environment is this process's own with what is added`() throws {
    let result = try run(
      #"echo "$FM_CHILD_TEST"; test -n "$PATH""#, environment: ["FM_CHILD_TEST": "a=b"])
    #expect(result.output == "a=b\n")
    #expect(result.end == .exited(0))
  }

  @Test func `a program that is not there is an error with its code`() {
    for program in ["/no/such/program", "no-such-program-anywhere"] {
      #expect(throws: ChildProcess.Failure.self) {
        try ChildProcess([program], input: 0, output: 1, errors: 2)
      }
    }
    do throws(ChildProcess.Failure) {
      _ = try ChildProcess(["/no/such/program"], input: 0, output: 1, errors: 2)
    } catch {
      #expect(error.code == ENOENT)
      #expect("\(error)" == "No such file or directory")
    }
  }

  @Test func `no child holds another's pipe open`() throws {
    let pipe = try ChildProcess.pipe()
    let other = try ChildProcess.pipe()
    // Waits for its own input, so that it lives while the first pipe is closed.
    let child = try ChildProcess(["cat"], input: other.read, output: 1, errors: 2)
    close(pipe.write)
    var byte: UInt8 = 0
    #expect(read(pipe.read, &byte, 1) == 0)
    #expect(try child.poll() == nil)
    for descriptor in [pipe.read, other.read, other.write] { close(descriptor) }
    #expect(try child.wait() == .exited(0))
    // It is told once.
    #expect(throws: ChildProcess.Failure.self) { try child.wait() }
  }
}
