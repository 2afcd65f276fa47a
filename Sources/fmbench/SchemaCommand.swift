import FMBench
import FMCommand

/// `fmbench schema`: the database's tables and views with their comments.
enum SchemaCommand {
  static let command = Command(
    name: "schema", summary: "Prints the database's tables and views, documented.",
    examples: ["fmbench schema", "sqlite3 Results/fmbench.sqlite 'SELECT * FROM v_request'"]
  ) { _ in
    Terminal.print(
      "-- Version \(Migrations.current) (PRAGMA user_version).\n\n" + Schema.version1 + "\n\n"
        + Schema.views1 + "\n")
    return .success
  }
}
