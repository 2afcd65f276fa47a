import FMBench
import Foundation
import Glibc
import Testing

@Suite struct HostileStoreTests {
  private func error(writing path: String) -> StoreError? {
    do throws(StoreError) {
      _ = try BenchStore(writing: path)
      return nil
    } catch { return error }
  }

  private func error(reading path: String) -> StoreError? {
    do throws(StoreError) {
      _ = try BenchStore(reading: path)
      return nil
    } catch { return error }
  }

  @Test func `refuses a file that is no database`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("notes.txt")
    let text = Data(String(repeating: "not a database\n", count: 100).utf8)
    try text.write(to: URL(filePath: path))
    for error in [error(writing: path), error(reading: path)] {
      guard case .notABenchmarkDatabase? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(error?.description.contains("notes.txt") == true)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == text)
  }

  @Test func `refuses another program's database and leaves it alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("other.sqlite")
    do {
      let other = try SQLiteDatabase(path: path, mode: .readWrite)
      try other.execute("CREATE TABLE run (x); INSERT INTO run VALUES (1)")
    }
    let before = try Data(contentsOf: URL(filePath: path))
    guard case .notABenchmarkDatabase? = error(writing: path) else {
      Issue.record("opened")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test func `refuses a newer version by its number`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("newer.sqlite")
    do {
      let store = try BenchStore(writing: path)
      try store.database.execute("PRAGMA user_version = 99")
    }
    let expected = StoreError.newerVersion(
      path: path, found: 99, supported: Migrations.current)
    #expect(error(writing: path) == expected)
    #expect(error(reading: path) == expected)
    #expect(expected.description.contains("99"))
  }

  @Test func `refuses a database whose tables are gone`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("gone.sqlite")
    do {
      let store = try BenchStore(writing: path)
      try store.database.execute(
        """
        DROP VIEW v_request; DROP VIEW v_session; DROP VIEW v_trial; DROP VIEW v_run;
        DROP TABLE token_gap
        """)
    }
    #expect(
      error(writing: path)
        == .notABenchmarkDatabase(path: path, reason: "it has no table 'token_gap'"))
  }

  @Test(arguments: [1, 100, 512, 4096, 9000])
  func `refuses a truncated database`(length: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("cut.sqlite")
    do {
      let store = try BenchStore(writing: path)
      try StoreFixture.begin(store)
      _ = try store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let bytes = try Data(contentsOf: URL(filePath: path))
    try #require(bytes.count > length)
    try bytes.prefix(length).write(to: URL(filePath: path))
    for error in [error(writing: path), error(reading: path)] {
      switch error {
      case .damaged, .notABenchmarkDatabase: break
      default: Issue.record("\(length) bytes: \(String(describing: error))")
      }
    }
  }

  @Test func `refuses garbage in any page`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("good.sqlite")
    do {
      let store = try BenchStore(writing: path)
      try StoreFixture.begin(store)
      _ = try store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let good = try Data(contentsOf: URL(filePath: path))
    let pages = good.count / 4096
    try #require(pages > 4)
    for page in 0..<pages {
      var bad = good
      for offset in 0..<4096 { bad[page * 4096 + offset] = UInt8(truncatingIfNeeded: offset * 7) }
      let copy = folder.path("bad-\(page).sqlite")
      try bad.write(to: URL(filePath: copy))
      #expect(error(reading: copy) != nil, "page \(page)")
    }
  }

  @Test func `says when there is no such file or folder`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.path("none.sqlite")
    #expect(error(reading: missing) == .noFile(path: missing))
    // A file where a folder should be cannot be made one, even by root.
    try Data().write(to: URL(filePath: folder.path("file")))
    guard case .cannotOpen(_, _, let reason)? = error(writing: folder.path("file/r.sqlite")) else {
      Issue.record("opened")
      return
    }
    #expect(!reason.isEmpty)
    guard case .cannotOpen? = error(writing: folder.url.path) else {
      Issue.record("opened a folder")
      return
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `refuses a pipe at once instead of waiting for its other end`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let refusal = StoreError.notABenchmarkDatabase(path: path, reason: "it is a pipe")
    #expect(error(writing: path) == refusal)
    #expect(error(reading: path) == refusal)
    let reason = "it is a pipe, not a file"
    #expect(throws: SuiteError.unreadable(file: path, reason: reason)) {
      try ReplayedTranscript(file: path)
    }
    #expect(throws: ImportError.unreadable(path: path, reason: reason)) {
      try LlamaBenchRow.read(path)
    }
    for name in ["suite.json", GuidedCases.fileName] {
      #expect(mkfifo(folder.path(name), 0o600) == 0)
    }
    #expect(throws: SuiteError.unreadable(file: folder.path("suite.json"), reason: reason)) {
      try Suite(folder: folder.url)
    }
    #expect(throws: SuiteError.unreadable(file: folder.path(GuidedCases.fileName), reason: reason))
    {
      try GuidedCases(folder: folder.url)
    }
  }

  @Test func `says when a folder or a file cannot be written`() throws {
    // Nobody, root neither, makes files here.
    guard case .cannotOpen(let path, _, _)? = error(writing: "/proc/fmbench.sqlite") else {
      Issue.record("opened")
      return
    }
    #expect(path == "/proc/fmbench.sqlite")
    let folder = try TemporaryFolder()
    let file = folder.path("r.sqlite")
    _ = try BenchStore(writing: file)
    let reader = try BenchStore(reading: file)
    #expect(throws: StoreError.readOnly(path: file)) { try StoreFixture.begin(reader) }
    #expect(StoreError.readOnly(path: file).description.contains("hint: check its permissions"))
  }
}
