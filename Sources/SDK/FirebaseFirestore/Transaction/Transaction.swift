import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation
import Locking

#if !canImport(ObjectiveC)
/// The pointer through which a block reports an error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// Reads and writes made together, on documents that no one else changes in between.
///
/// All reads come before all writes. Reads are the server's state: they see neither the cache nor writes that are queued.
public final class Transaction: NSObject, Sendable {
  private struct State {
    /// The version of each document that was read; zero is none.
    var versions: [DocumentName: CommitVersion] = [:]
    /// The documents that were read, in that order.
    var read: [DocumentName] = []
    var writes: [Write] = []
    var written: Set<DocumentName> = []
    /// The reason why it cannot be committed.
    var problem: NSError?
  }

  private let firestore: Firestore
  private let client: SyncClient
  private let state = Lock(State())

  init(_ firestore: Firestore, _ client: SyncClient) {
    self.firestore = firestore
    self.client = client
  }

  /// Throws `invalidArgument` for another client's document, with which every call would trap.
  public func check(forDocument document: DocumentReference) throws {
    try document.check(in: firestore)
  }

  // MARK: Reading

  /// Reads a document from the server; blocks the thread of the transaction's block.
  public func getDocument(_ document: DocumentReference) throws -> DocumentSnapshot {
    trapping { try check(forDocument: document) }
    guard state.withLock({ $0.writes.isEmpty }) else {
      throw FirestoreErrorCode.error(
        .invalidArgument,
        "Firestore transactions require all reads to be executed before all writes"
      )
    }
    let found = try read(document.name)
    try note(found)
    return DocumentSnapshot(
      document,
      found.isFound ? found : nil,
      SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
    )
  }

  private func read(_ name: DocumentName) throws -> CachedDocument {
    let client = client
    let documents = try Self.wait {
      try await client.call { transport, credentials in
        try await transport.documents([name], credentials)
      }
    }
    guard let document = documents.first(where: { $0.name == name }) else {
      throw FirestoreErrorCode.error(.internal, "The server left a document out.")
    }
    return document
  }

  /// Blocks this thread, which is the block's own, until asynchronous work is done.
  private static func wait<R: Sendable>(
    _ work: @escaping @Sendable () async throws -> R
  ) throws -> R {
    let outcome = Outcome<R>()
    Task {
      do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
    }
    do {
      return try outcome.wait()
    } catch {
      throw FirestoreErrorCode.app(error)
    }
  }

  private func note(_ document: CachedDocument) throws {
    let version = document.isFound ? document.version : .zero
    try state.withLock { state in
      guard let known = state.versions[document.name] else {
        state.versions[document.name] = version
        state.read.append(document.name)
        return
      }
      guard known == version else {
        throw FirestoreErrorCode.error(.aborted, "Document version changed between two reads.")
      }
    }
  }

  // MARK: Writing

  @discardableResult
  private func add(
    _ document: DocumentReference,
    isUpdate: Bool = false,
    _ make: () throws -> Write
  ) -> Transaction {
    let write = trapping {
      try check(forDocument: document)
      return try make()
    }
    state.withLock { state in
      let version = state.written.contains(write.name) ? nil : state.versions[write.name]
      if isUpdate, version == .zero {
        state.problem = FirestoreErrorCode.error(
          .invalidArgument,
          "Can't update a document that doesn't exist."
        )
      }
      state.written.insert(write.name)
      state.writes.append(write.bound(to: version))
    }
    return self
  }

  /// Replaces a document, or makes it.
  @discardableResult
  public func setData(
    _ data: [String: Any],
    forDocument document: DocumentReference
  ) -> Transaction {
    add(document) { try DataParser.set(data, document.name, firestore) }
  }

  /// Replaces a document, or with `merge` sets what the data names.
  @discardableResult
  public func setData(
    _ data: [String: Any],
    forDocument document: DocumentReference,
    merge: Bool
  ) -> Transaction {
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
  ) -> Transaction {
    add(document) { try DataParser.merge(data, fields: mergeFields, document.name, firestore) }
  }

  /// Sets the fields at paths; the transaction fails where there is no document.
  @discardableResult
  public func updateData(
    _ fields: [AnyHashable: Any],
    forDocument document: DocumentReference
  ) -> Transaction {
    add(document, isUpdate: true) { try DataParser.update(fields, document.name, firestore) }
  }

  /// Deletes a document.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> Transaction {
    add(document) { Write(name: document.name, operation: .delete) }
  }

  /// Replaces a document by a value.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    setData(try encoder.encode(value), forDocument: document)
  }

  /// Replaces a document by a value, or with `merge` sets the value's fields.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    merge: Bool,
    encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    setData(try encoder.encode(value), forDocument: document, merge: merge)
  }

  /// Sets the fields at these paths from a value.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    forDocument document: DocumentReference,
    mergeFields: [Any],
    encoder: Firestore.Encoder = .init()
  ) throws -> Transaction {
    setData(try encoder.encode(value), forDocument: document, mergeFields: mergeFields)
  }

  // MARK: Committing

  /// The writes, and a check for each document that was only read.
  func commit() async throws {
    let (writes, problem) = state.withLock { state in
      let checks = state.read.filter { !state.written.contains($0) }.map { name in
        Write(name: name, operation: .verify).bound(to: state.versions[name])
      }
      return (state.writes + checks, state.problem)
    }
    if let problem { throw problem }
    guard !writes.isEmpty else { return }
    if let tooLarge = writes.sizeFailure { throw tooLarge }
    _ = try await client.call { transport, credentials in
      try await transport.commit(writes, credentials)
    }
  }
}

extension Write {
  /// The write on condition that its document is still as it was read; nil was not read.
  fileprivate func bound(to version: CommitVersion?) -> Write {
    guard let version else { return self }
    return Write(
      name: name,
      operation: operation,
      transforms: transforms,
      precondition: version == .zero ? .exists(false) : .updateTime(version)
    )
  }
}

/// The outcome of work that a thread waits for.
private final class Outcome<R: Sendable>: Sendable {
  private let result = Lock<Result<R, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  func set(_ result: Result<R, any Error>) {
    self.result.withLock { $0 = result }
    isDone.signal()
  }

  func wait() throws -> R {
    isDone.wait()
    guard let result = result.withLock({ $0 }) else {
      preconditionFailure("The result is set before the signal.")
    }
    return try result.get()
  }
}
