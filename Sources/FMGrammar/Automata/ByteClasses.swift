/// A partition of the 256 bytes into classes, numbered by their least byte.
struct ByteClasses {
  /// The class of each byte.
  let classes: [UInt8]
  /// The least byte of each class.
  let representatives: [UInt8]

  var count: Int { representatives.count }

  /// Bytes belong together where all of their keys are equal.
  init<Key: Hashable>(by key: (UInt8) -> Key) {
    var known: [Key: UInt8] = [:]
    var classes: [UInt8] = []
    var representatives: [UInt8] = []
    for byte in UInt8.min...UInt8.max {
      let key = key(byte)
      if let old = known[key] {
        classes.append(old)
      } else {
        let new = UInt8(representatives.count)
        known[key] = new
        classes.append(new)
        representatives.append(byte)
      }
    }
    self.classes = classes
    self.representatives = representatives
  }

  /// The coarsest classes that no automaton of a list tells apart.
  init(of automata: [ByteAutomaton]) {
    var joint = ByteClasses { (_: UInt8) in 0 }
    for automaton in automata {
      let before = joint
      joint = ByteClasses { Int(before.classes[Int($0)]) << 8 | Int(automaton.classes[Int($0)]) }
    }
    self = joint
  }

  /// Each of these bytes alone, and all others together.
  init(separating bytes: [UInt8]) {
    self.init { bytes.contains($0) ? Int($0) : -1 }
  }
}
