// The umbrella: one import for everything that there is.
@_exported import FirebaseAnalytics
@_exported import FirebaseAuth
@_exported import FirebaseCore
@_exported import FirebaseFirestore
@_exported import FirebaseInstallations
@_exported import FirebaseMessaging
@_exported import FirebaseRemoteConfig
@_exported import FirebaseStorage
