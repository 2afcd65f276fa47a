import FMCommand

/// Where results are kept.
enum StoreOptions {
  static let defaultPath = "Results/fmbench.sqlite"

  static let option = Option.value(
    "db", "PATH", help: "The database; the default is \(defaultPath).")

  /// The database's path.
  static func path(_ arguments: Arguments) throws(UsageError) -> String {
    let path = arguments.string("db") ?? defaultPath
    // SQLite takes an empty name for a file that vanishes with the program.
    guard !path.isEmpty else {
      throw .invalidValue(option: "--db", found: "", expected: "a file's path")
    }
    return path
  }

  /// Words of an option that takes a list: several, separated by commas, or the option repeated.
  static func list(_ name: String, _ arguments: Arguments) throws(UsageError) -> [String] {
    var words: [String] = []
    for text in arguments.strings(name) {
      let found = text.split(separator: ",").map { word in String(word.drop { $0 == " " }) }
      guard !found.isEmpty, !found.contains("") else {
        throw .invalidValue(
          option: "--\(name)", found: text, expected: "a name, or several with commas between them")
      }
      words += found
    }
    return words
  }
}
