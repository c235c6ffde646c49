#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseFirestore

extension DocumentReference {
  /// The document: soon after the subscription, and whenever it or, if asked for, its metadata change.
  ///
  /// Each subscription listens by itself and ends with its cancellation.
  public func snapshotPublisher(
    includeMetadataChanges: Bool = false
  ) -> AnyPublisher<DocumentSnapshot, any Error> {
    Deferred { [self] in
      let subject = PassthroughSubject<DocumentSnapshot, any Error>()
      let registration = addSnapshotListener(includeMetadataChanges: includeMetadataChanges) {
        subject.send($0, $1)
      }
      return subject.handleEvents(receiveCancel: { registration.remove() })
    }
    .eraseToAnyPublisher()
  }

  /// Reads the document once.
  public func getDocument(
    source: FirestoreSource = .default
  ) -> Future<DocumentSnapshot, any Error> {
    Future(ofValue: { [self] in getDocument(source: source, completion: $0) })
  }

  /// Makes the document what the data says; the future ends with the server's response.
  @discardableResult
  public func setData(_ documentData: [String: Any]) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in setData(documentData, completion: $0) })
  }

  /// Makes the document what the data says, or puts the data's fields into it.
  @discardableResult
  public func setData(_ documentData: [String: Any], merge: Bool) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in setData(documentData, merge: merge, completion: $0) })
  }

  /// Puts the named fields of the data into the document.
  @discardableResult
  public func setData(
    _ documentData: [String: Any],
    mergeFields: [Any]
  ) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in setData(documentData, mergeFields: mergeFields, completion: $0) })
  }

  /// Replaces the document with an encoded value.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init()
  ) -> Future<Void, any Error> {
    Future { [self] promise in
      follow(promise) { try setData(from: value, encoder: encoder, completion: $0) }
    }
  }

  /// Replaces the document with an encoded value, or merges the value's fields into it.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    merge: Bool,
    encoder: Firestore.Encoder = .init()
  ) -> Future<Void, any Error> {
    Future { [self] promise in
      follow(promise) { try setData(from: value, merge: merge, encoder: encoder, completion: $0) }
    }
  }

  /// Puts the named fields of a value into the document.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T,
    mergeFields: [Any],
    encoder: Firestore.Encoder = .init()
  ) -> Future<Void, any Error> {
    Future { [self] promise in
      follow(promise) {
        try setData(from: value, mergeFields: mergeFields, encoder: encoder, completion: $0)
      }
    }
  }

  /// Changes the named fields of a document that exists.
  @discardableResult
  public func updateData(_ documentData: [AnyHashable: Any]) -> Future<Void, any Error> {
    Future(ofEnd: { [self] in updateData(documentData, completion: $0) })
  }

  /// Deletes the document.
  @discardableResult
  public func delete() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in delete(completion: $0) })
  }
}

extension CollectionReference {
  /// Adds a document under an id of its own.
  @discardableResult
  public func addDocument(data: [String: Any]) -> Future<DocumentReference, any Error> {
    let document = document()
    return Future { promise in
      document.setData(data) { error in promise(error.map { .failure($0) } ?? .success(document)) }
    }
  }

  /// Adds a document with an encoded value.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T,
    encoder: Firestore.Encoder = .init()
  ) -> Future<DocumentReference, any Error> {
    let document = document()
    return Future { promise in
      do {
        try document.setData(from: value, encoder: encoder) { error in
          promise(error.map { .failure($0) } ?? .success(document))
        }
      } catch {
        promise(.failure(error))
      }
    }
  }
}

/// Keeps the promise of a future with the end of a call that may refuse at once.
private func follow(
  _ promise: @escaping (Result<Void, any Error>) -> Void,
  _ call: (@escaping ((any Error)?) -> Void) throws -> Void
) {
  do {
    try call { error in promise(error.map { .failure($0) } ?? .success(())) }
  } catch {
    promise(.failure(error))
  }
}
#endif
