import FMBench
import FMCore
import Foundation
import Glibc
import Testing

/// Writes requests until it is killed, announcing each after its commit.
///
/// The announcement is a byte appended to a file: what a killed process wrote there stays.
private func writeUntilKilled(_ folder: String, microseconds: UInt32) throws {
  let store = try BenchStore(writing: folder + "/r.sqlite")
  let ids = try StoreFixture.begin(store)
  let announced = open(folder + "/announced", O_WRONLY | O_CREAT | O_APPEND, 0o600)
  var mark: UInt8 = 1
  for number in 0..<1_000_000 {
    _ = try store.addRequest(
      StoreFixture.request(number: number, output: 200), session: ids.session)
    write(announced, &mark, 1)
    if number == 0 { killLater(microseconds: microseconds) }
  }
}

/// Kills this process without warning, `microseconds` from now, from another thread.
private func killLater(microseconds: UInt32) {
  let killer = Thread {
    usleep(microseconds)
    kill(getpid(), SIGKILL)
  }
  killer.start()
}

@Suite struct DurabilityTests {
  @Test(arguments: [0, 3_000, 11_000, 47_000, 150_000] as [UInt32])
  func `every announced request survives a kill`(microseconds: UInt32) async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, microseconds = microseconds as UInt32] in
      try writeUntilKilled(path, microseconds: microseconds)
    }
    let announced = (try? Data(contentsOf: folder.url.appending(path: "announced")))?.count ?? 0
    try #require(announced > 0)
    let store = try BenchStore(writing: folder.path("r.sqlite"))
    #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    let requests = try #require(
      try store.database.rows("SELECT COUNT(*) FROM request").first?.int(0))
    #expect(requests == announced || requests == announced + 1)
    #expect(try store.lines("SELECT COUNT(*) FROM token_gap") == ["\(requests)"])
    #expect(try store.lines("SELECT status FROM run") == ["running"])
  }

  @Test func `processes that write to one database at once lose nothing`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r.sqlite")
    // Each makes the database as well, so that all but one find it half done or done.
    await withTaskGroup { group in
      for writer in 0..<3 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, writer = writer as Int] in
            let store = try BenchStore(writing: path)
            let ids = try StoreFixture.begin(store, uuid: "run \(writer)")
            for number in 0..<100 {
              _ = try store.addRequest(StoreFixture.request(number: number), session: ids.session)
            }
          }
        }
      }
    }
    let store = try BenchStore(writing: path)
    #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    #expect(
      try store.lines("SELECT uuid FROM run ORDER BY uuid") == ["run 0", "run 1", "run 2"])
    #expect(
      try store.lines("SELECT COUNT(*) FROM request GROUP BY session_id") == ["100", "100", "100"])
    #expect(try store.lines("SELECT COUNT(*) FROM token_gap") == ["300"])
  }
}
