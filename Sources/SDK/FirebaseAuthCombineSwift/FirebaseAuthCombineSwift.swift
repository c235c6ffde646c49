// Publishers and futures of FirebaseAuth, where the system has Combine.
@_exported import FirebaseAuth
