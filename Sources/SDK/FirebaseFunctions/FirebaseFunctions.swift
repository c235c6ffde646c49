// Code that calls functions often uses the app too and never imported it.
@_exported import FirebaseCore
// Its coders are arguments of this module's calls.
@_exported import FirebaseSharedSwift
