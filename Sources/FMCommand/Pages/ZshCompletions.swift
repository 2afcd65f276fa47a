/// A completion script for zsh: a function to be found on `fpath`, or to be sourced after `compinit`.
struct ZshCompletions {
  let program: Program

  var text: String {
    let name = ShellWord.identifier(program.name)
    let function = "_" + name
    var lines = [
      // A name with a space would be two words on this line.
      "#compdef \(name)",
      "# Completions of \(name) for zsh, by its command `completions zsh`.", "",
      "\(function)() {", "  local -a commands", "  commands=(",
    ]
    for command in program.commands {
      let entry = described(command.name) + ":" + Printable.text(command.summary)
      lines.append("    \(ShellWord.quoted(entry))")
    }
    lines += [
      "  )", "  if ((CURRENT == 2)); then", "    _describe -t commands command commands",
      "    compadd -- \(Program.ownWords.map(ShellWord.quoted).joined(separator: " "))",
      "    return", "  fi", "  local command=$words[2]",
      "  shift words", "  ((CURRENT -= 1))", "  case $command in",
      "    help) _describe -t commands command commands ;;",
    ]
    for command in program.commands {
      lines.append("    \(ShellWord.quoted(command.name)))")
      let specifications =
        command.options.flatMap(specifications)
        + ["'(-h --help)'{-h,--help}\(ShellWord.quoted("[Print this.]"))"]
        + command.positionals.map(specification)
      lines.append("      _arguments -s \\")
      lines.append(specifications.map { "        " + $0 }.joined(separator: " \\\n") + " ;;")
    }
    lines += [
      "  esac", "}", "",
      "if [[ $funcstack[1] == \(function) ]]; then", "  \(function) \"$@\"", "else",
      "  compdef \(function) \(ShellWord.quoted(program.name))", "fi",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func specifications(_ option: Option) -> [String] {
    let text = "[" + described(option.help) + "]"
    let value = option.value.map { value in
      ":" + described(value) + ":" + action(option.completion, isList: option.takesList)
    }
    let long = "--\(option.name)" + (value == nil ? "" : "=")
    guard let letter = option.letter else {
      return [ShellWord.quoted((option.repeats ? "*" : "") + long + text + (value ?? ""))]
    }
    let both = option.repeats ? "*" : "(-\(letter) --\(option.name))"
    return ["-\(letter)" + (value == nil ? "" : "+"), long].map {
      ShellWord.quoted(both + $0 + text + (value ?? ""))
    }
  }

  private func specification(_ positional: Positional) -> String {
    let place =
      switch positional.count {
      case .required: ":"
      case .optional: "::"
      case .any: "*:"
      }
    return ShellWord.quoted(
      place + described(positional.name) + ":" + action(positional.completion, isList: false))
  }

  /// What offers the words and files, with the colons escaped that would begin another part.
  private func action(_ completion: Completion, isList: Bool) -> String {
    offer(completion, isList: isList).replacing(":", with: "\\:")
  }

  private func offer(_ completion: Completion, isList: Bool) -> String {
    let words = completion.words().map(escaped).joined(separator: " ")
    let files =
      switch completion.files {
      case .none: ""
      case .files: "_files"
      case .folders: "_files -/"
      }
    if words.isEmpty { return files.isEmpty ? " " : files }
    if isList { return "_values -s , value \(words)" }
    guard !files.isEmpty else { return "(\(words))" }
    // Two sources: `_alternative` asks both.
    return "_alternative \(ShellWord.quoted("words:word:(\(words))")) "
      + ShellWord.quoted("files:file:\(files)")
  }

  /// Text inside a specification, where `:`, brackets and backslashes have meanings.
  private func described(_ text: String) -> String {
    var result = ""
    for scalar in Printable.text(text, limit: .max).unicodeScalars {
      if ["\\", ":", "[", "]"].contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// A word of a list, every character that could mean something after a backslash.
  private func escaped(_ word: String) -> String {
    var result = ""
    for scalar in Printable.text(word, limit: .max).unicodeScalars {
      let isPlain =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || ["-", "_", ".", "/", ":"].contains(scalar)
      if !isPlain { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
