// Apps that import the screens use accounts and files too and often never imported them.
@_exported import FirebaseAuth
@_exported import FirebaseStorage
