// An older name of FirebaseStorage, which apps still import.
@_exported import FirebaseStorage
