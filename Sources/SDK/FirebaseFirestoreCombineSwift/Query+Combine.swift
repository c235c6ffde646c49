#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseFirestore

extension Query {
  /// The results: soon after the subscription, and whenever they or, if asked for, their metadata change.
  ///
  /// Each subscription listens by itself and ends with its cancellation.
  public func snapshotPublisher(
    includeMetadataChanges: Bool = false
  ) -> AnyPublisher<QuerySnapshot, any Error> {
    Deferred { [self] in
      let subject = PassthroughSubject<QuerySnapshot, any Error>()
      let registration = addSnapshotListener(includeMetadataChanges: includeMetadataChanges) {
        subject.send($0, $1)
      }
      return subject.handleEvents(receiveCancel: { registration.remove() })
    }
    .eraseToAnyPublisher()
  }

  /// Reads the results once.
  public func getDocuments(
    source: FirestoreSource = .default
  ) -> Future<QuerySnapshot, any Error> {
    Future(ofValue: { [self] in getDocuments(source: source, completion: $0) })
  }
}

extension PassthroughSubject where Failure == any Error {
  /// Sends a listener's event: a snapshot, or the error that ends it.
  func send(_ snapshot: Output?, _ error: (any Error)?) {
    if let snapshot { send(snapshot) }
    if let error { send(completion: .failure(error)) }
  }
}
#endif
