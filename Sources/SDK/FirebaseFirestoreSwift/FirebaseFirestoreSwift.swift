// An older name of FirebaseFirestore, which apps still import.
@_exported import FirebaseFirestore
