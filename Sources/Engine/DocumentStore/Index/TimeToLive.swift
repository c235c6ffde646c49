import BaseStatus
import BaseText
import FirestoreModel
import KeyValueStore

/// A policy of one collection id: documents are deleted once the time in a field, or a while after it, is past, within minutes.
///
/// Google's rules: https://firebase.google.com/docs/firestore/ttl. One field of a collection id can
/// have a policy. Documents without the field, or with another value than a timestamp in it, stay.
/// Collections below a document stay too.
package struct TimeToLive: Sendable, Hashable {
  /// The id of the collections whose documents end.
  package let collectionID: Text
  /// The field that holds the time.
  package let field: FieldPath
  /// The seconds between that time and the end of the document.
  package let offset: UInt32
  /// True when the documents from before the policy are known too.
  package let isActive: Bool

  /// The greatest offset, about 68 years.
  package static let maximumOffset = UInt32(Int32.max)

  /// Throws INVALID_ARGUMENT for an offset that is not a whole number of seconds up to `maximumOffset`; returns it.
  package static func checkOffset(seconds: Int64, nanoseconds: Int) throws(ServiceError) -> UInt32 {
    guard nanoseconds == 0, let offset = UInt32(exactly: seconds), offset <= maximumOffset else {
      throw .invalidArgument(
        "An expiration offset must be a whole number of seconds, from 0 to \(maximumOffset)."
      )
    }
    return offset
  }

  /// Throws INVALID_ARGUMENT for a field that can have no policy.
  static func check(_ field: FieldPath) throws(ServiceError) {
    guard field != FieldOverride.anyField, !field.isDocumentName else {
      throw .invalidArgument(
        "A time to live needs a field of its own, not \(FieldOverride.text(of: field))."
      )
    }
  }
}

extension TimeToLive {
  fileprivate init?(_ index: DeclaredIndex) {
    guard let offset = index.purpose.expirationOffset, index.state.isMaintained,
      let field = index.definition.fields.first
    else { return nil }
    collectionID = index.definition.collectionID
    self.field = field.path
    self.offset = offset
    isActive = index.state != .creating
  }
}

extension IndexSet {
  /// The policies in the order in which they were made.
  package var timesToLive: [TimeToLive] { declared.compactMap(TimeToLive.init) }
}

extension IndexSetDraft {
  /// The policies in the order in which they were made.
  var timesToLive: [TimeToLive] { declared.compactMap(TimeToLive.init) }
}

extension Database {
  /// Sets or ends the policy of a field, whose documents end `offset` seconds after the field's time.
  ///
  /// Another offset of a policy is in force at once. Documents from before a new policy are found in the background. Throws FAILED_PRECONDITION where another field of the
  /// collection id has a policy.
  package func setTimeToLive(
    _ isOn: Bool,
    offset: UInt32 = 0,
    field: FieldPath,
    of collectionID: Text
  ) throws {
    try ResourceID.checkCollection(collectionID)
    try changeIndexes { set, group in
      try setTimeToLive(isOn, offset: offset, field, of: collectionID, in: &set, group)
    }
  }

  /// Sets or ends a policy in a change of definitions; nil leaves its offset as it is.
  func setTimeToLive(
    _ isOn: Bool,
    offset: UInt32?,
    _ field: FieldPath,
    of collectionID: Text,
    in set: inout IndexSetDraft,
    _ group: any KeyValueGroup
  ) throws {
    try TimeToLive.check(field)
    let position = set.declared.firstIndex {
      $0.purpose != .queries && $0.state.isMaintained
        && $0.definition.collectionID == collectionID
    }
    let current = position.flatMap { set.declared[$0].definition.fields.first?.path }
    guard isOn else {
      if let position, current == field { set.declared[position].state = .deleting }
      return
    }
    if let position, current == field {
      guard let offset else { return }
      set.declared[position].purpose = .timeToLive(offset: offset)
      return try DatabaseCatalog.requireTimeToLive(offset: offset, in: group)
    }
    if let current {
      throw ServiceError(
        .failedPrecondition,
        """
        The field \(FieldOverride.text(of: current)) of \(collectionID) already has a time to live: only one field of a \
        collection group can have one.
        """
      )
    }
    let number = set.lastNumber + 1
    set.declared.append(
      DeclaredIndex(
        number: number,
        definition: try IndexDefinition(
          collectionID: collectionID,
          scope: .collectionGroup,
          fields: [IndexedField(field, .ascending)]
        ),
        state: try initialState(collectionID, group),
        purpose: .timeToLive(offset: offset ?? 0)
      )
    )
    set.lastNumber = number
    try DatabaseCatalog.requireTimeToLive(offset: offset ?? 0, in: group)
  }
}

/// Deletes documents whose time to live is over, a bounded step at a time.
///
/// The index of a policy has them in the order of their times, so a look costs what it finds. Each
/// document is deleted by a commit of its own, under the condition that it is unchanged since the
/// read: a document with a time that was moved stays.
struct Expiry {
  let database: Database

  /// Documents that one step deletes at most.
  private static let stepSize = 500

  /// Deletes documents whose time is past at `now`, in microseconds since 1970.
  ///
  /// Answers whether there may be more.
  func step(now: Int64) throws -> Bool {
    var hasMore = false
    for index in database.indexes.current.declared where index.purpose != .queries {
      guard case .ready = index.state, !database.isRetired else { continue }
      let due = try database.engine.read { try documents(of: index, upTo: now, $0) }
      if due.count == Self.stepSize { hasMore = true }
      try delete(due)
    }
    return hasMore
  }

  /// A document whose time is over.
  struct Due {
    let path: ResourcePath
    let version: CommitVersion
  }

  func documents(
    of index: DeclaredIndex,
    upTo now: Int64,
    _ reader: any KeyValueReader
  ) throws -> [Due] {
    let prefix = IndexKey.declaredPrefix(incarnation: database.incarnation, number: index.number)
    let offset = Int64(index.purpose.expirationOffset ?? 0) * 1_000_000
    var upper = prefix
    OrderedEncoding.appendTimestamp(now - offset, to: &upper)
    let timeLength = upper.count - prefix.count
    let range = KeyRange(
      lower: prefix + [OrderedEncoding.Tag.timestamp],
      upper: KeyRange(prefix: upper).upper
    )
    let cursor = try reader.cursor(over: range, reversed: false)
    var due: [Due] = []
    while due.count < Self.stepSize, try cursor.next() {
      var position = prefix.count + timeLength
      guard let path = SegmentEncoding.decodePath(cursor.key, at: &position) else {
        throw KeyValueError(.corruption, "an entry of a time to live names no document")
      }
      let key = DocumentKey(path, in: database.incarnation)
      // An entry without its document is a difference that `verify` names.
      guard let stored = try reader.get(key.bytes, as: .document) else { continue }
      due.append(Due(path: path, version: stored.updateTime))
    }
    return due
  }

  func delete(_ due: [Due]) throws {
    let results = due.map { document in
      let write = Write(
        name: DocumentName(database: database.id, path: document.path),
        operation: .delete,
        precondition: .updateTime(document.version)
      )
      let result = BlockingResult<CommitOutcome>()
      database.commit(CommitProposal(writes: [write])) { result.set($0) }
      return result
    }
    for result in results {
      do {
        _ = try result.wait()
      } catch let error as ServiceError
        where error.code == .failedPrecondition || error.code == .notFound
      {
        // It was written or deleted in the meantime; the next step decides again.
      }
    }
  }
}
