import FirestoreModel
import FirestoreSync
import Foundation

// Beyond Google's API: writes that are awaited until the cache has them, in any state of the
// network. Calls that wait for the server, such as `try await setData(…)`, do not end offline.

extension Firestore {
  /// Writes locally and queues the writes; returns when the cache has them, on the disk where it has a file.
  ///
  /// Throws `unavailable` if the cache refuses them; the server's later result is not reported.
  fileprivate nonisolated(nonsending) func writeLocally(_ writes: [Write]) async throws {
    let client = client
    try await completion { done in client.perform { $0.writeLocally(writes, done) } }
  }
}

extension DocumentReference {
  /// Replaces the document, or with `merge` sets the fields that the data names; returns when the
  /// cache has it.
  public nonisolated(nonsending) func setDataLocally(
    _ documentData: [String: Any],
    merge: Bool = false
  ) async throws {
    let write = trapping {
      merge
        ? try DataParser.merge(documentData, fields: nil, name, firestore)
        : try DataParser.set(documentData, name, firestore)
    }
    try await firestore.writeLocally([write])
  }

  /// Replaces the document by a value, or with `merge` sets the value's fields; returns when the
  /// cache has it.
  public nonisolated(nonsending) func setDataLocally<T: Encodable>(
    from value: T,
    merge: Bool = false,
    encoder: Firestore.Encoder = .init()
  ) async throws {
    try await setDataLocally(try encoder.encode(value), merge: merge)
  }

  /// Sets the fields at paths; returns when the cache has it, also where there is no document.
  public nonisolated(nonsending) func updateDataLocally(_ fields: [AnyHashable: Any]) async throws {
    let write = trapping { try DataParser.update(fields, name, firestore) }
    try await firestore.writeLocally([write])
  }

  /// Deletes the document; returns when the cache has it.
  public func deleteLocally() async throws {
    try await firestore.writeLocally([Write(name: name, operation: .delete)])
  }

  /// Replaces the document by a value, or with `merge` sets the value's fields; waits for the
  /// server.
  ///
  /// The name leaves `setData(from:)` as a call that does not wait.
  public nonisolated(nonsending) func setDataAsync<T: Encodable>(
    from value: T,
    merge: Bool = false,
    encoder: Firestore.Encoder = .init()
  ) async throws {
    try await setData(try encoder.encode(value), merge: merge)
  }
}

extension CollectionReference {
  /// Makes a document of a value, with an id of twenty random letters and digits; returns when the cache has it.
  @discardableResult
  public nonisolated(nonsending) func addDocumentLocally<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init()
  ) async throws -> DocumentReference {
    let document = document()
    try await document.setDataLocally(from: value, encoder: encoder)
    return document
  }

  /// Makes a document of a value, with an id of twenty random letters and digits; waits for the server.
  @discardableResult
  public nonisolated(nonsending) func addDocumentAsync<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init()
  ) async throws -> DocumentReference {
    let document = document()
    try await document.setDataAsync(from: value, encoder: encoder)
    return document
  }
}

extension WriteBatch {
  /// Makes the writes; returns when the cache has them.
  public func commitLocally() async throws {
    let writes = close()
    if !writes.isEmpty { try await firestore.writeLocally(writes) }
  }
}
