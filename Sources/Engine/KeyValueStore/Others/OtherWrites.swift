/// The writes of other engines to a store that several have open.
package enum OtherWrites: Sendable {
  /// Groups in the order in which they landed.
  case groups([Group])
  /// Anything may have been written: the store's memory must be read again.
  case unknown

  /// One group of writes.
  package struct Group: Sendable {
    /// No later group has this version or one below.
    package let version: Int64
    /// The keys that were put or deleted, ascending.
    package let keys: [[UInt8]]

    /// A group that wrote these keys.
    package init(version: Int64, keys: [[UInt8]]) {
      self.version = version
      self.keys = keys
    }
  }

  /// Returns the part of the writes that lies in some ranges; nil if there is none.
  package func within(_ ranges: [KeyRange]) -> OtherWrites? {
    guard case .groups(let groups) = self else { return self }
    let touching = groups.compactMap { group -> Group? in
      let keys = group.keys.filter { key in ranges.contains { $0.contains(key) } }
      return keys.isEmpty ? nil : Group(version: group.version, keys: keys)
    }
    return touching.isEmpty ? nil : .groups(touching)
  }
}

/// Receives other engines' writes, with a view of the store just behind them.
///
/// Runs before any part of its engine shows its contents: a view, a group, a call of `whenCurrent`.
/// Groups come in the order in which they landed, never while a body or a completion of the
/// engine's own writes runs, and those come in their places between them. The observer calls no
/// engine, and takes no lock of a thread that does. After an error of an observer all receive the
/// same groups again.
package typealias OtherWritesObserver =
  @Sendable (_ writes: OtherWrites, _ reader: any KeyValueReader) throws -> Void
