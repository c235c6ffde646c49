import KeyValueStore

/// The writes of a group, sorted by the statements that carry them out, as parameters.
struct GroupWrites {
  private var keys: [[UInt8]] = []
  private var values: [[UInt8]] = []
  private var deleted: [[UInt8]] = []

  /// The writes with short keys, or those with long ones.
  init(_ writes: SortedTable, long: Bool) {
    var position = writes.startPosition
    while position != writes.endPosition {
      let entry = writes[position]
      position = writes.position(after: position)
      guard StoreSchema.isLong(entry.key) == long else { continue }
      if entry.value.isEmpty {
        deleted.append(entry.key)
      } else {
        keys.append(entry.key)
        values.append(entry.value)
      }
    }
  }

  var count: Int { keys.count + deleted.count }

  /// Keys to put, their values, keys to delete.
  var parameters: [[UInt8]?] {
    [BinaryValue.array(keys), BinaryValue.array(values), BinaryValue.array(deleted)]
  }
}
