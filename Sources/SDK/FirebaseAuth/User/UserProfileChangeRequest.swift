import Foundation
import Locking

/// A change of name and picture; it is committed once.
public final class UserProfileChangeRequest: NSObject, Sendable {
  /// The change to a member.
  private enum Change: Sendable {
    case keep
    case set(String?)
  }

  private struct State: Sendable {
    var displayName = Change.keep
    var photoURL = Change.keep
    var isCommitted = false
  }

  let user: User
  private let state = Lock(State())

  init(user: User) { self.user = user }

  /// The new name; nil removes it.
  public var displayName: String? {
    get { Self.value(state.withLock { $0.displayName }, else: user.displayName) }
    set { change { $0.displayName = .set(newValue) } }
  }

  /// The address of the new picture; nil removes it.
  public var photoURL: URL? {
    get {
      Self.value(state.withLock { $0.photoURL }, else: user.photoURL?.absoluteString)
        .flatMap(URL.init)
    }
    set {
      let text = newValue?.absoluteString
      change { $0.photoURL = .set(text) }
    }
  }

  /// Makes the change; the request cannot be used again.
  public func commitChanges() async throws {
    let state = state.withLock { state in
      precondition(!state.isCommitted, "commitChanges should only be called once.")
      state.isCommitted = true
      return state
    }
    var fields: [String: AuthField] = [:]
    var removed: [String] = []
    let changes = [
      ("displayName", "DISPLAY_NAME", state.displayName), ("photoUrl", "PHOTO_URL", state.photoURL),
    ]
    for (name, attribute, change) in changes {
      guard case .set(let value) = change else { continue }
      if let value { fields[name] = .text(value) } else { removed.append(attribute) }
    }
    if !removed.isEmpty { fields["deleteAttribute"] = .texts(removed) }
    guard !fields.isEmpty else { return }
    try await user.update(fields)
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      precondition(!state.isCommitted, "The change was already committed.")
      body(&state)
    }
  }

  private static func value(_ change: Change, else current: String?) -> String? {
    if case .set(let value) = change { value } else { current }
  }
}
