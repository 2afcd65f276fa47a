package import FMCore

/// Remembers which token sequences have their keys and values in KV blocks.
///
/// The cache holds references to blocks in the engine's pools; it never touches their bytes.
/// Belongs to the engine's thread. A tree over blocks can stand behind it as well as a list.
package protocol PrefixCache: AnyObject {
  /// Finds the longest reusable beginning of `tokens`, at most `limit` tokens of it.
  ///
  /// The blocks of the match come with a reference for the caller. A match that ends inside a block
  /// shares that block; whoever writes it next copies it first.
  func match(_ tokens: [TokenID], limit: Int, pools: BlockPools) -> PrefixMatch

  /// Remembers that `tables` hold the keys and values of `tokens`; takes references of its own.
  func insert(_ tokens: [TokenID], tables: [[Int32]], pools: BlockPools)

  /// Keeps the longest remembered beginning of `tokens` from eviction; nil when there is none.
  func lease(_ tokens: [TokenID]) -> PrefixLease?

  /// Ends a lease; what it kept may be evicted again.
  func release(_ lease: PrefixLease)

  /// Gives up the least recently used sequence that is not leased; false when there is none.
  func evict(pools: BlockPools) -> Bool

  /// Forgets everything, leased or not.
  func clear(pools: BlockPools)

  /// Sequences remembered.
  var sequenceCount: Int { get }

  /// Sequences given up to make room since the cache was made.
  var evictionCount: Int { get }

  /// References the cache holds, by group; for accounting checks.
  var referenceCounts: [Int] { get }
}

/// What a look-up found.
package struct PrefixMatch: Sendable, Hashable {
  /// Tokens whose keys and values can be used, 0 for none.
  package var length: Int
  /// A block table for each group, of the blocks that hold `length` positions; -1 where a window
  /// has no need of a block.
  package var tables: [[Int32]]
  /// Why it was not more.
  package var reason: CacheMissReason

  package init(length: Int, tables: [[Int32]], reason: CacheMissReason) {
    self.length = length
    self.tables = tables
    self.reason = reason
  }
}

/// Names a lease of a ``PrefixCache``.
package struct PrefixLease: Sendable, Hashable {
  package var number: Int

  package init(number: Int) { self.number = number }
}
