/// A completion script for fish.
struct FishCompletions {
  let program: Program

  var text: String {
    let name = ShellWord.identifier(program.name)
    let test = "__\(name)_command"
    let start = "complete -c " + ShellWord.fishQuoted(program.name)
    var lines = [
      "# Completions of \(name) for fish, by its command `completions fish`.", "",
      "function \(test)", "  set -l words (commandline -opc)",
      "  if test (count $words) -lt 2", "    test -z \"$argv[1]\"", "  else",
      "    test \"$words[2]\" = \"$argv[1]\"", "  end", "end", "",
      // No files but where a value is one.
      "\(start) -f",
      "\(start) -n \(ShellWord.fishQuoted(test)) -l help -s h -d 'Print the list of commands.'",
      "\(start) -n \(ShellWord.fishQuoted(test)) -l version -d 'Print the version.'",
    ]
    for command in program.commands {
      let entry = ShellWord.fishQuoted(ShellWord.fishQuoted(command.name))
      for place in [test, test + " help"] {
        lines.append(
          "\(start) -n \(ShellWord.fishQuoted(place)) -a \(entry) "
            + "-d \(ShellWord.fishQuoted(command.summary))")
      }
    }
    for command in program.commands {
      let condition = ShellWord.fishQuoted(test + " " + ShellWord.fishQuoted(command.name))
      let prefix = "\(start) -n \(condition)"
      lines.append("")
      for positional in command.positionals {
        let values = values(positional.completion)
        if !values.isEmpty {
          lines.append("\(prefix)\(values) -d \(ShellWord.fishQuoted(positional.help))")
        }
      }
      for option in command.options {
        let letter = option.letter.map { " -s " + ShellWord.fishQuoted(String($0)) } ?? ""
        let needs = option.value == nil ? "" : needed(option.completion)
        lines.append(
          "\(prefix) -l \(ShellWord.fishQuoted(option.name))\(letter)\(needs) "
            + "-d \(ShellWord.fishQuoted(option.help))")
      }
      lines.append("\(prefix) -l help -s h -d 'Print this.'")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// An option's value: without `-x` fish offers files whatever else there is.
  private func needed(_ completion: Completion) -> String {
    (completion.files == .files ? " -r" : " -x") + values(completion)
  }

  /// ` -a LIST -F`: fish expands the list when it is needed, so each word is quoted once more.
  private func values(_ completion: Completion) -> String {
    let words = completion.words().map(ShellWord.fishQuoted).joined(separator: " ")
    let list = words.isEmpty ? "" : " -a " + ShellWord.fishQuoted(words)
    switch completion.files {
    case .none: return list
    case .files: return list + " -F"
    case .folders: return " -a '(__fish_complete_directories)'"
    }
  }
}
