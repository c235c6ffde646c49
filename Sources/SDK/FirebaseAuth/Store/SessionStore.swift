import FirebaseCore

/// Where an app's session is kept between runs; its bytes are those of ``StoredSession``.
package typealias SessionStore = StateStore
