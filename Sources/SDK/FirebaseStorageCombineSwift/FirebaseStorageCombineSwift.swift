// Publishers and futures of FirebaseStorage, where the system has Combine.
@_exported import FirebaseStorage
