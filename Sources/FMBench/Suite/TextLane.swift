/// Which random numbers a text of a suite is made with.
enum TextLane {
  /// The lane of a text's place: FNV-1a of its name.
  static func named(_ name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
