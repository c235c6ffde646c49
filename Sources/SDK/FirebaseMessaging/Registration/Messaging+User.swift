import FirebaseCore
import Foundation

// The owner of the registration, and the fact that it is still used.

extension Messaging {
  /// The signed-in user; without a uid there is none.
  struct Owner: Sendable {
    let uid: String?
    let idToken: String?
  }

  /// The time after which the server is notified again that the registration is still used, in
  /// seconds.
  private static let renewal: TimeInterval = 7 * 86_400

  private var currentUserID: String? { app.object?.credentials?.currentUserID }

  /// Returns true if the server's copy of a registration is up to date.
  func isCurrent(_ known: MessagingState) -> Bool {
    guard let renewed = known.renewed, known.registeredUserID == currentUserID else { return false }
    return (0..<Self.renewal).contains(now().timeIntervalSince(renewed))
  }

  /// Returns the signed-in user with its ID token; nil if that is not available now.
  func owner() async -> Owner? {
    guard let credentials = app.object?.credentials, let uid = credentials.currentUserID else {
      return Owner(uid: nil, idToken: nil)
    }
    do {
      let token = try await credentials.token(forcingRefresh: false)
      // Another user may have signed in, and the owner of the token is unknown.
      guard let token, credentials.currentUserID == uid else { return nil }
      return Owner(uid: uid, idToken: token)
    } catch {
      log("The user's ID token can't be fetched: \(error)")
      return nil
    }
  }

  /// Notifies the server that the registration is still used, and by which user; false if the
  /// server does not know it any more.
  ///
  /// Any other failure leaves the registration as it was: the next request for a token tries again.
  func renew(_ token: String, _ address: MessagingState.AppleAddress?) async -> Bool {
    guard let owner = await owner() else { return true }
    let time = now()
    do {
      try await backend.renew(token, address, idToken: owner.idToken)
    } catch is MessagingBackend.Unregistered {
      return false
    } catch {
      log("The registration can't be renewed: \(error)")
      return true
    }
    change { kept in
      guard kept.token == token else { return }
      (kept.registeredUserID, kept.renewed) = (owner.uid, time)
    }
    return true
  }

  /// Observes sign-ins and sign-outs after this.
  func observeUser() {
    let isFirst = state.withLock { state in
      defer { state.isObservingUser = true }
      return !state.isObservingUser && !state.isDeleted
    }
    guard isFirst, let credentials = app.object?.credentials else { return }
    credentials.observeUser { [weak self] _ in self?.userChanged() }
  }

  private var isOfAnother: Bool {
    let known = kept
    return known.token != nil && known.registeredUserID != currentUserID
  }

  /// Tells the server whose the registration is, unless it knows that or that goes on.
  func userChanged() {
    guard isOfAnother else { return }
    state.withLock { state in
      guard state.userWork == nil, !state.isDeleted else { return }
      state.userWork = Task { await self.tellUser() }
    }
  }

  private func tellUser() async {
    var failures = 0
    while !Task.isCancelled, isOfAnother {
      // One in flight may have started with the previous user.
      do { _ = try await sharedRegistration().value } catch {}
      guard isOfAnother else { break }
      failures += 1
      let full = min(Self.backoff.first * pow(2, Double(min(failures, 10))), Self.backoff.longest)
      do { try await sleep(full * Double.random(in: 0.5...1)) } catch { break }
    }
    state.withLock { $0.userWork = nil }
    // A user may have signed in or out since the last look.
    if !Task.isCancelled { userChanged() }
  }
}
