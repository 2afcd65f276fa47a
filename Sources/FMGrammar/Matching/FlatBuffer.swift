/// An immutable array read through a bare pointer, for tables that hot loops read.
///
/// Reads are checked in debug builds only; the memory lives as long as the value.
struct FlatBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  // SAFETY: the memory is written before the value exists and only read after.
  private final class Storage {
    let pointer: UnsafeMutablePointer<Element>

    init(_ elements: [Element]) {
      pointer = .allocate(capacity: max(elements.count, 1))
      elements.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        pointer.initialize(from: base, count: source.count)
      }
    }

    deinit { pointer.deallocate() }
  }

  let base: UnsafePointer<Element>
  let count: Int
  private let storage: Storage

  init(_ elements: [Element]) {
    storage = Storage(elements)
    base = UnsafePointer(storage.pointer)
    count = elements.count
  }

  /// The bytes it takes.
  var byteCount: Int { count * MemoryLayout<Element>.stride }

  @inline(__always)
  subscript(index: Int) -> Element {
    assert(index >= 0 && index < count)
    return base[index]
  }

  @inline(__always)
  subscript(index: Int32) -> Element { self[Int(index)] }
}
