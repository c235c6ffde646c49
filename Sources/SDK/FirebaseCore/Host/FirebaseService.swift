/// The services that have a server of their own.
package enum FirebaseService: Sendable, Hashable, CaseIterable {
  case auth
  case firestore
  case storage
  case remoteConfig
  case installations
  case analytics
  case messaging
  case functions
}
