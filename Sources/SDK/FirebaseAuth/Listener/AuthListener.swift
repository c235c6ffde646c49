import FirebaseCore
import Foundation
import Locking

/// A listener for the signed-in user, or for ID tokens too.
///
/// It is called on one serial queue: once after it was added, and then whenever what it listens to differs from
/// its last call. It reads the current user when it is called, so that changes in quick succession are one call.
final class AuthListener: NSObject, Sendable {
  /// The change that a listener listens for.
  enum Subject: Sendable {
    case user
    case token
  }

  /// The state in the last call.
  private struct Told: Equatable {
    var uid: String?
    var token: String?
  }

  private enum State {
    case new
    case told(Told)
    case ended
  }

  private let subject: Subject
  /// Nil is the queue of callbacks.
  private let queue: DispatchQueue?
  private let body: AppCallback<(Auth, User?)>
  private let state = Lock(State.new)

  init(_ subject: Subject, on queue: DispatchQueue?, _ body: @escaping (Auth, User?) -> Void) {
    self.subject = subject
    self.queue = queue
    self.body = AppCallback { body($0.0, $0.1) }
  }

  /// Calls the listener soon, if there is something to tell then.
  func call(for auth: Auth) {
    (queue ?? auth.callbackQueue).async { self.tell(auth) }
  }

  private func tell(_ auth: Auth) {
    let user = auth.currentUser
    let now = Told(uid: user?.uid, token: subject == .token ? user?.tokens.idToken : nil)
    let isNews = state.withLock { state in
      switch state {
      case .ended: return false
      case .told(let last) where last == now: return false
      case .new, .told:
        state = .told(now)
        return true
      }
    }
    if isNews { body.call((auth, user)) }
  }

  /// Calls the listener no more.
  func end() { state.withLock { $0 = .ended } }
}
