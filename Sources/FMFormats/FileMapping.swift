import FMCore
import Glibc

/// The read-only bytes of one file, mapped into memory, or of an array handed over by a test.
///
/// The bytes stay valid and unchanged while the object lives, with one exception that no reader can
/// rule out: another process that shortens the file while it is mapped ends this one with SIGBUS.
///
/// SAFETY: the memory is written before `init` returns, only read afterwards, and freed in `deinit`.
package final class FileMapping: @unchecked Sendable {
  private enum Ownership { case nothing, mapped, allocated }

  /// The path the file was opened by, or the name given to bytes in memory.
  package let path: String
  /// All bytes of the file, valid while the object lives.
  package let bytes: UnsafeRawBufferPointer
  private let ownership: Ownership

  /// Maps the regular file at `path`; never blocks on a FIFO or device.
  ///
  /// - Throws: ``GGUFError`` when it can't be opened, is not a regular file, is empty or can't be mapped.
  package init(path: String) throws(GGUFError) {
    self.path = path
    // O_NONBLOCK: opening a FIFO without a writer would wait for one.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotOpen(path: path, code: errno) }
    if let kind = RegularFile.kind(ofMode: status.st_mode) {
      throw .notRegularFile(path: path, kind: kind)
    }
    guard status.st_size > 0 else { throw .empty(path: path) }
    let count = Int(status.st_size)
    guard
      let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
      start != UnsafeMutableRawPointer(bitPattern: -1)
    else { throw .cannotMap(path: path, byteCount: count, code: errno) }
    bytes = UnsafeRawBufferPointer(start: start, count: count)
    ownership = .mapped
  }

  /// Holds a copy of `contents`, aligned to 64 bytes as a page-aligned mapping would be.
  package init(contents: [UInt8], name: String) {
    path = name
    guard !contents.isEmpty else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      ownership = .nothing
      return
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 64)
    copy.copyBytes(from: contents)
    bytes = UnsafeRawBufferPointer(copy)
    ownership = .allocated
  }

  deinit {
    switch ownership {
    case .nothing: break
    case .mapped: munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    case .allocated: bytes.deallocate()
    }
  }

  /// Takes the pages of a range out of memory; reading them again brings them back from the file.
  ///
  /// Bytes outside the mapping are left alone, and so is an array handed over.
  package func release(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<bytes.count)
    guard ownership == .mapped, !range.isEmpty, let start = bytes.baseAddress else { return }
    // Whole pages, so up to two of them are the neighbours' as well: those come back, too.
    let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
    let first = range.lowerBound / page * page
    // Advice: should the kernel refuse, all that is lost is the saving.
    madvise(
      UnsafeMutableRawPointer(mutating: start + first), range.upperBound - first, MADV_DONTNEED)
  }
}
