import FirebaseCore

/// The store of an app's session between runs; its bytes are those of ``StoredSession``.
package typealias SessionStore = StateStore
