// An older name of FirebaseRemoteConfig, which apps still import.
@_exported import FirebaseRemoteConfig
