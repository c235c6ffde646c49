import FirestoreModel
import FirestoreSync
import Foundation
import Synchronization

/// Writes that are made together: all or none.
///
/// What cannot be written traps, with the official texts; so does writing to a batch that was committed.
public final class WriteBatch: NSObject, Sendable {
  private struct State {
    var writes: [Write] = []
    var isCommitted = false
  }

  private let firestore: Firestore
  private let state = Mutex(State())

  init(_ firestore: Firestore) { self.firestore = firestore }

  @discardableResult
  private func add(_ document: DocumentReference, _ make: () throws -> Write) -> WriteBatch {
    document.check(in: firestore)
    let write = trapping(make)
    state.withLock { state in
      precondition(
        !state.isCommitted,
        "A write batch can no longer be used after commit has been called."
      )
      state.writes.append(write)
    }
    return self
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

  /// Replaces a document by a value, or with `merge` sets what the value has.
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
    let writes = state.withLock { state in
      precondition(
        !state.isCommitted,
        "A write batch can no longer be used after commit has been called."
      )
      state.isCommitted = true
      return state.writes
    }
    guard !writes.isEmpty else { return completion(nil) }
    firestore.write(writes, completion)
  }
}

extension DocumentReference {
  /// Traps where the document is of another client.
  func check(in firestore: Firestore) {
    precondition(
      self.firestore === firestore,
      "Provided document reference is from a different Firestore instance."
    )
  }
}
