import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation

// Writing single documents. A write is visible to listeners at once and queued; its completion, and
// the end of the asynchronous forms, is the server's response. Data that cannot be written traps,
// with the official texts.

extension Firestore {
  /// Writes locally and queues the writes.
  func write(
    _ writes: [Write],
    _ completion: @escaping @Sendable (FirestoreFailure?) -> Void
  ) {
    client.perform { $0.write(writes, completion) }
  }
}

extension DocumentReference {
  private func set(_ data: [String: Any]) -> Write {
    trapping { try DataParser.set(data, name, firestore) }
  }

  private func merge(_ data: [String: Any], fields: [Any]?) -> Write {
    trapping { try DataParser.merge(data, fields: fields, name, firestore) }
  }

  private func update(_ data: [AnyHashable: Any]) -> Write {
    trapping { try DataParser.update(data, name, firestore) }
  }

  private func write(_ write: Write, _ completion: (((any Error)?) -> Void)?) {
    firestore.write([write], firestore.deliver(to: completion))
  }

  private nonisolated(nonsending) func write(_ write: Write) async throws {
    try await firestore.completion { firestore.write([write], $0) }
  }

  // MARK: Setting

  /// Replaces the document, or makes it.
  public func setData(
    _ documentData: [String: Any],
    completion: (((any Error)?) -> Void)? = nil
  ) {
    write(set(documentData), completion)
  }

  /// Replaces the document, or makes it; waits for the server.
  public nonisolated(nonsending) func setData(_ documentData: [String: Any]) async throws {
    try await write(set(documentData))
  }

  /// Replaces the document, or with `merge` sets what the data names.
  public func setData(
    _ documentData: [String: Any],
    merge: Bool,
    completion: (((any Error)?) -> Void)? = nil
  ) {
    write(merge ? self.merge(documentData, fields: nil) : set(documentData), completion)
  }

  /// Replaces the document, or with `merge` sets what the data names; waits for the server.
  public nonisolated(nonsending) func setData(
    _ documentData: [String: Any],
    merge: Bool
  ) async throws {
    try await write(merge ? self.merge(documentData, fields: nil) : set(documentData))
  }

  /// Sets the fields at these paths, texts with dots or ``FieldPath``s, and nothing else of the data.
  public func setData(
    _ documentData: [String: Any],
    mergeFields: [Any],
    completion: (((any Error)?) -> Void)? = nil
  ) {
    write(merge(documentData, fields: mergeFields), completion)
  }

  /// Sets the fields at these paths and nothing else of the data; waits for the server.
  public nonisolated(nonsending) func setData(
    _ documentData: [String: Any],
    mergeFields: [Any]
  ) async throws {
    try await write(merge(documentData, fields: mergeFields))
  }

  // MARK: Updating and deleting

  /// Sets the fields at paths, texts with dots or ``FieldPath``s; fails where there is no document.
  public func updateData(
    _ fields: [AnyHashable: Any],
    completion: (((any Error)?) -> Void)? = nil
  ) {
    write(update(fields), completion)
  }

  /// Sets the fields at paths; fails where there is no document.
  ///
  /// Waits for the server.
  public nonisolated(nonsending) func updateData(_ fields: [AnyHashable: Any]) async throws {
    try await write(update(fields))
  }

  /// Deletes the document.
  public func delete(completion: (((any Error)?) -> Void)? = nil) {
    write(Write(name: name, operation: .delete), completion)
  }

  /// Deletes the document; waits for the server.
  public func delete() async throws {
    try await write(Write(name: name, operation: .delete))
  }

  // MARK: Values

  /// Replaces the document by a value.
  public func setData<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init(),
    completion: (((any Error)?) -> Void)? = nil
  ) throws {
    setData(try encoder.encode(value), completion: completion)
  }

  /// Replaces the document by a value, or with `merge` sets the value's fields.
  public func setData<T: Encodable>(
    from value: T,
    merge: Bool,
    encoder: Firestore.Encoder = .init(),
    completion: (((any Error)?) -> Void)? = nil
  ) throws {
    setData(try encoder.encode(value), merge: merge, completion: completion)
  }

  /// Sets the fields at these paths from a value.
  public func setData<T: Encodable>(
    from value: T,
    mergeFields: [Any],
    encoder: Firestore.Encoder = .init(),
    completion: (((any Error)?) -> Void)? = nil
  ) throws {
    setData(try encoder.encode(value), mergeFields: mergeFields, completion: completion)
  }
}

extension CollectionReference {
  /// Makes a document with an id of twenty random letters and digits.
  @discardableResult
  public func addDocument(data: [String: Any]) -> DocumentReference {
    addDocument(data: data, completion: nil)
  }

  /// Makes a document with an id of twenty random letters and digits.
  @discardableResult
  public func addDocument(
    data: [String: Any],
    completion: (((any Error)?) -> Void)?
  ) -> DocumentReference {
    let document = document()
    document.setData(data, completion: completion)
    return document
  }

  /// Makes a document with an id of twenty random letters and digits; waits for the server.
  @discardableResult
  public nonisolated(nonsending) func addDocument(
    data: [String: Any]
  ) async throws -> DocumentReference {
    let document = document()
    try await document.setData(data)
    return document
  }

  /// Makes a document of a value.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init(),
    completion: (((any Error)?) -> Void)? = nil
  ) throws -> DocumentReference {
    addDocument(data: try encoder.encode(value), completion: completion)
  }
}
