import CFMKernels
import FMBackendCPU
import Foundation
import Testing

@Suite struct ThreadPoolTests {
  /// What the threads of a job write: one number each, round after round.
  private struct Board {
    var numbers: UnsafeMutablePointer<Int>
    var rounds: Int
    var mistakes: UnsafeMutablePointer<Int>
  }

  @Test(arguments: [1, 2, 4, 5], [0, 1000])
  func `a barrier shows every thread what the others wrote`(threads: Int, spins: Int) throws {
    let pool = try #require(fm_pool_create(threads))
    defer { fm_pool_destroy(pool) }
    #expect(fm_pool_count(pool) == threads)
    let numbers = UnsafeMutablePointer<Int>.allocate(capacity: threads * 16)
    numbers.initialize(repeating: 0, count: threads * 16)
    let mistakes = UnsafeMutablePointer<Int>.allocate(capacity: threads * 16)
    mistakes.initialize(repeating: 0, count: threads * 16)
    defer {
      numbers.deallocate()
      mistakes.deallocate()
    }
    var board = Board(numbers: numbers, rounds: 40, mistakes: mistakes)
    for _ in 0..<3 {
      numbers.update(repeating: 0, count: threads * 16)
      fm_pool_run(
        pool, threads, UInt32(spins),
        { context, pool, index, count in
          guard let board = context?.assumingMemoryBound(to: Board.self).pointee else { return }
          for round in 1...board.rounds {
            board.numbers[index * 16] = round
            fm_pool_barrier(pool)
            for other in 0..<count where board.numbers[other * 16] != round {
              board.mistakes[index * 16] += 1
            }
            fm_pool_barrier(pool)
          }
        }, &board)
      for thread in 0..<threads {
        #expect(numbers[thread * 16] == 40)
        #expect(mistakes[thread * 16] == 0)
      }
    }
  }

  @Test func `a job may use fewer threads than the pool has`() throws {
    let pool = try #require(fm_pool_create(4))
    defer { fm_pool_destroy(pool) }
    for count in [1, 3, 2, 4, 1, 4] {
      var seen = [Int](repeating: 0, count: 4)
      seen.withUnsafeMutableBytes { buffer in
        fm_pool_run(
          pool, count, 100,
          { context, _, index, count in
            context?.assumingMemoryBound(to: Int.self)[index] = count
          }, buffer.baseAddress)
      }
      #expect(seen == (0..<4).map { $0 < count ? count : 0 })
    }
  }

  @Test func `thread counts are clamped to what the machine can use`() {
    let pool = ThreadPool(allowance: CPUAllowance(processors: 4, cores: 2, quota: nil))
    #expect(pool.clamp(nil) == 2)
    #expect(pool.clamp(1) == 1)
    #expect(pool.clamp(4) == 4)
    #expect(pool.clamp(100_000) == 16)
    #expect(pool.clamp(0) == 1)
    #expect(CPUAllowance(processors: 8, cores: 4, quota: 3).defaultThreads == 3)
    #expect(CPUAllowance(processors: 8, cores: 4, quota: 1).concurrency == 1)
  }

  @Test func `cores and limits are read from the system's files`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "fm-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ path: String, _ text: String) throws {
      let url = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    for (processor, core) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
      try write("devices/system/cpu/cpu\(processor)/topology/core_id", "\(core)\n")
      try write("devices/system/cpu/cpu\(processor)/topology/physical_package_id", "0\n")
    }
    func read(_ allowed: [Int], _ cgroup: String) -> CPUAllowance {
      CPUAllowance.read(allowed: allowed, systemRoot: root.path, processCgroup: cgroup)
    }
    #expect(read([0, 1, 2, 3], "") == CPUAllowance(processors: 4, cores: 2, quota: nil))
    #expect(read([0, 2], "") == CPUAllowance(processors: 2, cores: 1, quota: nil))
    try write("fs/cgroup/cpu.max", "max 100000\n")
    try write("fs/cgroup/a/cpu.max", "250000 100000\n")
    try write("fs/cgroup/a/b/cpu.max", "max 100000\n")
    #expect(read([0, 1, 2, 3], "0::/a/b\n").quota == 3)
    #expect(read([0, 1, 2, 3], "0::/c\n").quota == nil)
    try write("fs/cgroup/cpu/x/cpu.cfs_quota_us", "50000\n")
    try write("fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n")
    try write("fs/cgroup/cpu/y/cpu.cfs_quota_us", "-1\n")
    try write("fs/cgroup/cpu/y/cpu.cfs_period_us", "100000\n")
    #expect(read([0], "4:cpu,cpuacct:/x\n3:memory:/x\n").quota == 1)
    #expect(read([0], "4:cpu,cpuacct:/y\n").quota == nil)
    #expect(read([0], "nonsense\n::\n").quota == nil)
  }
}
