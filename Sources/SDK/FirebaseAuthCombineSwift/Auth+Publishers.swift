#if canImport(Combine)
import Combine
import FirebaseAuth

extension Auth {
  /// Publishes the signed-in user: soon after the subscription, and whenever another person or no
  /// person is signed in.
  public func authStateDidChangePublisher() -> AnyPublisher<User?, Never> {
    Deferred { [self] in
      let subject = PassthroughSubject<User?, Never>()
      let handle = addStateDidChangeListener { subject.send($1) }
      return subject.handleEvents(receiveCancel: { self.removeStateDidChangeListener(handle) })
    }
    .eraseToAnyPublisher()
  }

  /// Publishes the signed-in user: soon after the subscription, and whenever the user or the ID
  /// token changes.
  public func idTokenDidChangePublisher() -> AnyPublisher<User?, Never> {
    Deferred { [self] in
      let subject = PassthroughSubject<User?, Never>()
      let handle = addIDTokenDidChangeListener { subject.send($1) }
      return subject.handleEvents(receiveCancel: { self.removeIDTokenDidChangeListener(handle) })
    }
    .eraseToAnyPublisher()
  }
}
#endif
