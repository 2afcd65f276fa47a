/// Uninitialized memory that grows and is freed with its owner: scratch for loops that allocate
/// nothing once it is large enough.
struct GrowableBuffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int

  /// Room for `capacity` elements, at least one.
  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Makes room for `count` elements; the first `keeping` of them keep their values.
  mutating func grow(to count: Int, keeping: Int) {
    guard count > capacity else { return }
    let larger = max(count, capacity * 2)
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    moved.update(from: base, count: keeping)
    base.deallocate()
    base = moved
    capacity = larger
  }
}
