import FMBench
import FMCommand

/// `fmbench schema`: the database's tables and views with their comments.
enum SchemaCommand {
  static let command = Command(
    name: "schema", summary: "Prints the database's tables and views, documented.",
    options: [.flag("json", help: "Prints the version and the SQL of every step as JSON.")],
    examples: ["fmbench schema", "sqlite3 Results/fmbench.sqlite 'SELECT * FROM v_request'"]
  ) { arguments in
    if arguments.flag("json") {
      let steps = Migrations.all.map { step in
        JSONValue.object([("version", .integer(step.version)), ("sql", .string(step.sql))])
      }
      Terminal.print(
        JSONValue.object([("version", .integer(Migrations.current)), ("steps", .array(steps))])
          .prettyText)
      return .success
    }
    Terminal.print(
      "-- Version \(Migrations.current) (PRAGMA user_version); each step adds to those before it.\n"
        + Migrations.all.map { "\n-- Step \($0.version).\n\n" + $0.sql + "\n" }.joined())
    return .success
  }
}
