#if canImport(Combine)
import Combine
import FirebaseAuth

extension Auth {
  /// Who is signed in: soon after the subscription, and whenever another person or nobody is.
  public func authStateDidChangePublisher() -> AnyPublisher<User?, Never> {
    Deferred { [self] in
      let subject = PassthroughSubject<User?, Never>()
      let handle = addStateDidChangeListener { subject.send($1) }
      return subject.handleEvents(receiveCancel: { self.removeStateDidChangeListener(handle) })
    }
    .eraseToAnyPublisher()
  }

  /// Who is signed in: soon after the subscription, and whenever that or the ID token changes.
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
