import FirestoreModel
import Testing

@testable import Events
