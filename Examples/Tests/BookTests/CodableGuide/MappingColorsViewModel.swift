// swift-format-ignore-file
// The listings are the guide's.
import FirebaseFirestore
import Foundation

extension Guide {
  // Errors of live lists
  class MappingColorsViewModel: ObservableObject {
    @Published var colorEntries = [ColorEntry]()
    @Published var newColor = ColorEntry.empty
    @Published var errorMessage: String?

    // Combine's own on Apple's systems.
    let objectWillChange = ObjectWillChange()

    private var db = Firestore.firestore()
    private var listenerRegistration: ListenerRegistration?

    public func unsubscribe() {
      if listenerRegistration != nil {
        listenerRegistration?.remove()
        listenerRegistration = nil
      }
    }

    // The guide unwraps `colorEntry` once more, as `data(as:)` of older versions gave an optional.
    func subscribe() {
      if listenerRegistration == nil {
        listenerRegistration = db.collection("colors")
          .addSnapshotListener { [weak self] (querySnapshot, error) in
            guard let documents = querySnapshot?.documents else {
              self?.errorMessage = "No documents in 'colors' collection"
              return
            }
            self?.colorEntries = documents.compactMap { queryDocumentSnapshot in
              let result = Result { try queryDocumentSnapshot.data(as: ColorEntry.self) }
              switch result {
              case .success(let colorEntry):
                // A ColorEntry value was successfully initialized from the DocumentSnapshot.
                self?.errorMessage = nil
                return colorEntry
              case .failure(let error):
                // A ColorEntry value could not be initialized from the DocumentSnapshot.
                switch error {
                case DecodingError.typeMismatch(_, let context):
                  self?.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
                case DecodingError.valueNotFound(_, let context):
                  self?.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
                case DecodingError.keyNotFound(_, let context):
                  self?.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
                case DecodingError.dataCorrupted(let key):
                  self?.errorMessage = "\(error.localizedDescription): \(key)"
                default:
                  self?.errorMessage = "Error decoding document: \(error.localizedDescription)"
                }
                return nil
              }
            }
          }
      }
    }

    func addColorEntry() {
      let collectionRef = db.collection("colors")
      do {
        let newDocReference = try collectionRef.addDocument(from: newColor)
        print("ColorEntry stored with new document reference: \(newDocReference)")
      } catch {
        print(error)
      }
    }
  }
}
