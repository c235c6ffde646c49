// Code that imports files often uses the app too and never imported it.
@_exported import FirebaseCore
