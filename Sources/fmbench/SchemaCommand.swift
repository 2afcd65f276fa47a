import FMBench
import FMCommand

/// `fmbench schema`: the database's tables and views with their comments.
enum SchemaCommand {
  static let command = Command(
    name: "schema", summary: "Prints the database's tables and views, documented.",
    examples: ["fmbench schema", "sqlite3 Results/fmbench.sqlite 'SELECT * FROM v_request'"]
  ) { _ in
    Terminal.print(
      "-- Version \(Migrations.current) (PRAGMA user_version); each step adds to those before it.\n"
        + Migrations.all.map { "\n-- Step \($0.version).\n\n" + $0.sql + "\n" }.joined())
    return .success
  }
}
