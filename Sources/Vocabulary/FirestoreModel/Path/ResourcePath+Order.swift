// Names sort segment by segment: imported numeric ids (`__id7__`) first and by number, then strings
// by UTF-8 bytes; a path comes before what lies below it.

import BaseText

extension ResourcePath: Comparable {
  /// The order of this path relative to another.
  package func compare(_ other: ResourcePath) -> Ordering {
    for (left, right) in zip(segments, other.segments) {
      let result = compareSegments(left, right)
      if result != .equal { return result }
    }
    return Ordering(segments.count, other.segments.count)
  }

  /// Firestore's order of names, as `compare(_:)` decides it.
  package static func < (left: ResourcePath, right: ResourcePath) -> Bool {
    left.compare(right) == .ascending
  }
}

extension DocumentName: Comparable {
  /// The order of this name relative to another: project, database, then path.
  package func compare(_ other: DocumentName) -> Ordering {
    database.project.compare(other.database.project)
      .or(database.database.compare(other.database.database))
      .or(path.compare(other.path))
  }

  /// Firestore's order of names, as `compare(_:)` decides it.
  package static func < (left: DocumentName, right: DocumentName) -> Bool {
    left.compare(right) == .ascending
  }
}

/// Compares two ids of names.
package func compareSegments(_ left: Text, _ right: Text) -> Ordering {
  switch (left.numericID, right.numericID) {
  case (nil, nil): left.compare(right)
  case (let first?, let second?): Ordering(first, second)
  case (_?, nil): .ascending
  case (nil, _?): .descending
  }
}

extension Text {
  /// The number of an imported id `__id<int64>__` in its only valid spelling, else nil.
  package var numericID: Int64? { withBytes(SegmentEncoding.numericID) }
}
