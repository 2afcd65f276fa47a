import FMBench
import Testing

@Suite struct MigrationTests {
  private let steps = [
    Migrations.Step(version: 1, sql: "CREATE TABLE a (x INTEGER) STRICT"),
    Migrations.Step(version: 2, sql: "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'old'"),
    Migrations.Step(version: 3, sql: "CREATE TABLE b (z INTEGER) STRICT"),
  ]

  @Test func `brings an older database up and keeps its rows`() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase(path: folder.path("m.sqlite"), mode: .readWrite)
    try Migrations.apply(to: database, steps: Array(steps.prefix(1)))
    try database.execute("INSERT INTO a VALUES (7)")
    try Migrations.apply(to: database, steps: steps)
    let rows = try database.rows("SELECT x, y FROM a")
    #expect(rows == [SQLRow(values: [.integer(7), .text("old")])])
    #expect(try Migrations.version(of: database, supported: 3) == 3)
    try Migrations.apply(to: database, steps: steps)
    #expect(try database.rows("SELECT * FROM a").count == 1)
  }

  @Test func `a step that fails changes nothing`() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase(path: folder.path("m.sqlite"), mode: .readWrite)
    try Migrations.apply(to: database, steps: Array(steps.prefix(1)))
    let broken = steps.prefix(2) + [Migrations.Step(version: 3, sql: "CREATE TABLE a (x)")]
    #expect(throws: StoreError.self) { try Migrations.apply(to: database, steps: Array(broken)) }
    #expect(try Migrations.version(of: database, supported: 3) == 1)
    #expect(throws: StoreError.self) { try database.rows("SELECT y FROM a") }
  }

  @Test func `refuses a version ahead of its own`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("m.sqlite")
    let database = try SQLiteDatabase(path: path, mode: .readWrite)
    try Migrations.apply(to: database, steps: steps)
    #expect(throws: StoreError.newerVersion(path: path, found: 3, supported: 2)) {
      try Migrations.apply(to: database, steps: Array(steps.prefix(2)))
    }
  }

  @Test func `the steps are numbered without a gap`() {
    #expect(Migrations.all.map(\.version) == Array(1...Migrations.current))
  }
}
