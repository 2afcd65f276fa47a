import Foundation

/// What of this process's memory is resident, as the kernel counts it.
package enum ResidentMemory {
  /// Resident bytes of the mappings of the file at `path`; nil where the system does not say.
  package static func ofMapping(_ path: String) -> Int? {
    // The file has no size of its own, so it is read to its end.
    guard let handle = FileHandle(forReadingAtPath: "/proc/self/smaps"),
      let data = try? handle.readToEnd()
    else { return nil }
    var total = 0
    var isOurs = false
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      // A mapping's first line ends in its path; the lines after it are `Name: value kB`.
      if line.contains("-"), line.split(separator: " ").first?.contains(":") == false {
        isOurs = line.hasSuffix(path)
      } else if isOurs, line.hasPrefix("Rss:") {
        let fields = line.split(separator: " ")
        if fields.count > 1 { total += (Int(fields[1]) ?? 0) * 1024 }
      }
    }
    return total
  }
}
