import FMCommand

/// Where results are kept.
enum StoreOptions {
  static let defaultPath = "Results/fmbench.sqlite"

  static let option = Option.value(
    "db", "PATH", help: "The database; the default is \(defaultPath).")

  /// The database's path.
  static func path(_ arguments: Arguments) -> String {
    arguments.string("db") ?? defaultPath
  }

  /// Words of an option that takes a list: several, separated by commas, or the option repeated.
  static func list(_ name: String, _ arguments: Arguments) -> [String] {
    arguments.strings(name).flatMap {
      $0.split(separator: ",").map { word in
        String(word.drop { $0 == " " })
      }
    }
  }
}
