// Publishers and futures of FirebaseFirestore, where the system has Combine.
@_exported import FirebaseFirestore
