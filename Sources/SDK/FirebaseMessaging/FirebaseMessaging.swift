// Code that imports messaging often uses the app too and never imported it.
@_exported import FirebaseCore
