// Code that imports analytics often uses the app too and never imported it.
@_exported import FirebaseCore
