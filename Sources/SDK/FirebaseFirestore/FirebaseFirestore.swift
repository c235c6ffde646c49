// `import FirebaseFirestore` alone makes `Timestamp` and the strategies of coders visible.
@_exported import FirebaseCore
@_exported import FirebaseSharedSwift
