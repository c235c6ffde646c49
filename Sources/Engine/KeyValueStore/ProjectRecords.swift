/// The records of one project among those of an owner of keys, from which a store of that project alone is made.
///
/// Each owner that keeps something of projects has one beside its keys. Records that it leaves out belong to other projects or
/// to the server.
package struct ProjectRecords: Sendable {
  /// Takes a record over.
  package typealias Take = (_ key: [UInt8], _ value: [UInt8]) throws -> Void

  /// The owner of the records.
  package let owner: KeyOwner
  /// Records that belong to no project and are needed by each, such as the number given out last.
  package let shared: [KeyRange]
  private let own:
    @Sendable (_ project: String, _ reader: any KeyValueReader, _ take: Take) throws -> Void

  /// The records of an owner; `own` passes those of a project on.
  package init(
    of owner: KeyOwner,
    shared: [KeyRange] = [],
    own:
      @escaping @Sendable (
        _ project: String, _ reader: any KeyValueReader, _ take: Take
      ) throws -> Void
  ) {
    (self.owner, self.shared, self.own) = (owner, shared, own)
  }

  /// Passes the records of a project on, then the shared ones.
  ///
  /// - Returns: The number of records that are the project's own.
  package func read(
    _ project: String,
    from reader: any KeyValueReader,
    _ take: Take
  ) throws -> Int {
    var count = 0
    try own(project, reader) { key, value in
      count += 1
      try take(key, value)
    }
    for range in shared { try reader.take(range, take) }
    return count
  }
}

extension KeyValueReader {
  /// Passes on the records of a range whose keys and values, both lent, are wanted.
  package func take(
    _ range: KeyRange,
    where isWanted:
      (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool = { _, _ in
        true
      },
    _ take: ProjectRecords.Take
  ) throws {
    let cursor = try cursor(over: range, reversed: false)
    while try cursor.next() {
      guard try isWanted(cursor.key, cursor.value) else { continue }
      try take(Array(cursor.key), Array(cursor.value))
    }
  }
}
