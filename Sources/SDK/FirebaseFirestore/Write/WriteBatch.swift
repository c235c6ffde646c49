import FirestoreModel
import FirestoreSync
import Foundation
import Locking

/// Writes that are made together: all or none.
///
/// A value that cannot be written traps, with the official texts; so does writing to a batch that
/// was committed.
public final class WriteBatch: NSObject, Sendable {
  private struct State {
    var writes: [Write] = []
    var isCommitted = false
  }

  let firestore: Firestore
  private let state = Lock(State())

  init(_ firestore: Firestore) { self.firestore = firestore }

  @discardableResult
  private func add(_ document: DocumentReference, _ make: () throws -> Write) -> WriteBatch {
    trapping {
      try document.check(in: firestore)
      let write = try make()
      try state.withLock { state in
        try Self.checkOpen(state)
        state.writes.append(write)
      }
    }
    return self
  }

  /// Throws where a write of this document would trap: `failedPrecondition` after the commit, `invalidArgument` for another
  /// client's document.
  public func check(forDocument document: DocumentReference) throws {
    try document.check(in: firestore)
    try check()
  }

  /// Throws `failedPrecondition` after the commit, where every further call would trap.
  public func check() throws { try state.withLock { try Self.checkOpen($0) } }

  private static func checkOpen(_ state: State) throws {
    try require(
      !state.isCommitted,
      .failedPrecondition,
      "A write batch can no longer be used after commit has been called."
    )
  }

  /// Replaces a document, or makes it.
  @discardableResult
  public func setData(
    _ data: [String: Any],
    forDocument document: DocumentReference
  ) -> WriteBatch {
    add(document) { try DataParser.set(data, document.name, firestore) }
  }

  /// Replaces a document, or with `merge` sets what the data names.
  @discardableResult
  public func setData(
    _ data: [String: Any],
    forDocument document: DocumentReference,
    merge: Bool
  ) -> WriteBatch {
    guard merge else { return setData(data, forDocument: document) }
    return add(document) {
      try DataParser.merge(data, fields: nil, document.name, firestore)
    }
  }

  /// Sets the fields at these paths and nothing else of the data.
  @discardableResult
  public func setData(
    _ data: [String: Any],
    forDocument document: DocumentReference,
    mergeFields: [Any]
  ) -> WriteBatch {
    add(document) { try DataParser.merge(data, fields: mergeFields, document.name, firestore) }
  }

  /// Sets the fields at paths; the commit fails where there is no document.
  @discardableResult
  public func updateData(
    _ fields: [AnyHashable: Any],
    forDocument document: DocumentReference
  ) -> WriteBatch {
    add(document) { try DataParser.update(fields, document.name, firestore) }
  }

  /// Deletes a document.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
    add(document) { Write(name: document.name, operation: .delete) }
  }

  /// Replaces a document by a value.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    setData(try encoder.encode(value), forDocument: document)
  }

  /// Replaces a document by a value, or with `merge` sets the value's fields.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    merge: Bool,
    encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    setData(try encoder.encode(value), forDocument: document, merge: merge)
  }

  /// Sets the fields at these paths from a value.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    mergeFields: [Any],
    encoder: Firestore.Encoder = .init()
  ) throws -> WriteBatch {
    setData(try encoder.encode(value), forDocument: document, mergeFields: mergeFields)
  }

  /// Makes the writes: visible to listeners at once, and queued.
  public func commit(completion: (((any Error)?) -> Void)? = nil) {
    commit(firestore.deliver(to: completion))
  }

  /// Makes the writes and waits for the server.
  public func commit() async throws { try await firestore.completion { commit($0) } }

  private func commit(_ completion: @escaping @Sendable (FirestoreFailure?) -> Void) {
    let writes = close()
    guard !writes.isEmpty else { return completion(nil) }
    firestore.write(writes, completion)
  }

  /// Takes the writes; nothing can be added any more.
  func close() -> [Write] {
    trapping {
      try state.withLock { state in
        try Self.checkOpen(state)
        state.isCommitted = true
        return state.writes
      }
    }
  }
}

extension DocumentReference {
  /// Throws where the document is of another client.
  func check(in firestore: Firestore) throws {
    try require(
      self.firestore === firestore,
      "Provided document reference is from a different Firestore instance."
    )
  }
}
