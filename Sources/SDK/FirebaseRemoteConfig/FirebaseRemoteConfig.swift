// Code that imports the configuration often uses the app too and never imported it.
@_exported import FirebaseCore
