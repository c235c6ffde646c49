// Code that imports installations often uses the app too and never imported it.
@_exported import FirebaseCore
