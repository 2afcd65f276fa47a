/// What is changed at the head of a conversation from request to request.
struct PrefixEdit {
  private let edit: PlayStyle.PrefixEdit
  private let number: Int
  private let clock: Int

  /// `number` counts the requests, `clock` is the second that the first one begins with.
  init(_ edit: PlayStyle.PrefixEdit, number: Int, clock: Int) {
    self.edit = edit
    self.number = number
    self.clock = clock
  }

  /// The instructions, behind the time where that is the edit.
  func instructions(_ text: String) -> String {
    guard edit == .timestamp else { return text }
    let second = (clock + number) % 86_400
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "It is \(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)).\n" + text
  }

  /// The tools, turned by one place a request where that is the edit.
  func tools<Element>(_ tools: [Element]) -> [Element] {
    guard edit == .tools, tools.count > 1 else { return tools }
    let shift = number % tools.count
    return Array(tools[shift...] + tools[..<shift])
  }
}
