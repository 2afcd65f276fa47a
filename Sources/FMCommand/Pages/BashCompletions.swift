/// A completion script for bash 4.4 and later, without the package bash-completion.
///
/// Words are compared in the script instead of by `compgen -W`, which expands what it is given.
struct BashCompletions {
  let program: Program

  var text: String {
    let function = "_" + ShellWord.identifier(program.name)
    let names = program.commands.map(\.name)
    var lines = [
      "# Completions of \(ShellWord.identifier(program.name)) for bash, by its command `completions bash`.",
      "",
    ]
    lines += Self.offer(function)
    lines += ["", "\(function)() {"] + Self.start
    lines += [
      "  if ((COMP_CWORD == 1)); then",
      "    \(function)_offer '' \"$word\" \(words(names + Program.ownWords))",
      "    return",
      "  fi",
      "  if [[ $command == help ]]; then",
      "    \(function)_offer '' \"$word\" \(words(names))",
      "    return",
      "  fi",
      "  case \"$command $previous\" in",
    ]
    for command in program.commands {
      for option in command.options where option.value != nil {
        lines += values(of: option, command, function)
      }
    }
    lines += ["  esac", "  if [[ $word != -* ]]; then", "    case \"$command\" in"]
    for command in program.commands where !command.positionals.isEmpty {
      lines += arguments(of: command, function)
    }
    lines += ["    esac", "    return", "  fi", "  case \"$command\" in"]
    for command in program.commands {
      let options = command.options.flatMap { option in
        (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
      }
      lines += [
        "    \(ShellWord.quoted(command.name)))",
        "      \(function)_offer '' \"$word\" \(words(options + ["-h", "--help"])) ;;",
      ]
    }
    lines += ["  esac", "}", "", "complete -F \(function) \(ShellWord.quoted(program.name))"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// `PREFIX WORD CANDIDATE…`: candidates that begin with the word, each after the prefix.
  private static func offer(_ function: String) -> [String] {
    [
      "\(function)_offer() {",
      "  local prefix=$1 word=$2 candidate",
      "  shift 2",
      "  for candidate; do",
      "    if [[ $candidate == \"$word\"* ]]; then",
      "      printf -v candidate %q \"$candidate\"",
      "      COMPREPLY+=(\"$prefix$candidate\")",
      "    fi",
      "  done",
      "}",
      "",
      "\(function)_files() {",
      "  local name",
      "  compopt -o filenames 2>/dev/null",
      "  while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen \"$1\" -- \"$2\")",
      "}",
    ]
  }

  /// The word before the cursor and the one before it; `--name=VALUE` arrives as three.
  private static let start = [
    "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}",
    "  local command=${COMP_WORDS[1]} prefix=",
    "  COMPREPLY=()",
    "  if [[ $word == '=' ]]; then",
    "    word=",
    "  elif [[ $previous == '=' ]] && ((COMP_CWORD > 2)); then",
    "    previous=${COMP_WORDS[COMP_CWORD - 2]}",
    "  fi",
  ]

  private func values(of option: Option, _ command: Command, _ function: String) -> [String] {
    let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
    let patterns = names.map { ShellWord.quoted("\(command.name) \($0)") }
    var lines = ["    \(patterns.joined(separator: " | ")))"]
    if option.takesList {
      lines += [
        "      if [[ $word == *,* ]]; then prefix=${word%,*}, word=${word##*,}; fi"
      ]
    }
    return lines + offers(option.completion, function) + ["      return ;;"]
  }

  private func arguments(of command: Command, _ function: String) -> [String] {
    ["      \(ShellWord.quoted(command.name)))"]
      + command.positionals.flatMap { offers($0.completion, function) } + ["      ;;"]
  }

  private func offers(_ completion: Completion, _ function: String) -> [String] {
    var lines: [String] = []
    let candidates = completion.words()
    if !candidates.isEmpty {
      lines.append("      \(function)_offer \"$prefix\" \"$word\" \(words(candidates))")
    }
    switch completion.files {
    case .none: break
    case .files: lines.append("      \(function)_files -f \"$word\"")
    case .folders: lines.append("      \(function)_files -d \"$word\"")
    }
    return lines
  }

  private func words(_ words: [String]) -> String {
    words.map(ShellWord.quoted).joined(separator: " ")
  }
}
