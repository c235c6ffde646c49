// swift-format-ignore-file
// The listings are the guide's.
import FirebaseFirestore
import Foundation

extension Guide {
  // Errors
  class MappingSimpleTypesViewModel: ObservableObject {
    @Published var book: Book = .empty
    @Published var errorMessage: String?

    // Combine's own on Apple's systems.
    let objectWillChange = ObjectWillChange()

    private var db = Firestore.firestore()

    func fetchAndMap() {
      fetchBook(documentId: "hitchhiker")
    }

    func fetchAndMapNonExisting() {
      fetchBook(documentId: "does-not-exist")
    }

    func fetchAndTryMappingInvalidData() {
      fetchBook(documentId: "invalid-data")
    }

    private func fetchBook(documentId: String) {
      let docRef = db.collection("books").document(documentId)
      docRef.getDocument(as: Book.self) { result in
        switch result {
        case .success(let book):
          // A Book value was successfully initialized from the DocumentSnapshot.
          self.book = book
          self.errorMessage = nil
        case .failure(let error):
          // A Book value could not be initialized from the DocumentSnapshot.
          switch error {
          case DecodingError.typeMismatch(_, let context):
            self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
          case DecodingError.valueNotFound(_, let context):
            self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
          case DecodingError.keyNotFound(_, let context):
            self.errorMessage = "\(error.localizedDescription): \(context.debugDescription)"
          case DecodingError.dataCorrupted(let key):
            self.errorMessage = "\(error.localizedDescription): \(key)"
          default:
            self.errorMessage = "Error decoding document: \(error.localizedDescription)"
          }
        }
      }
    }

    // Simple types, in the three forms before the last one.
    func fetchBookByHand(documentId: String) {
      let docRef = db.collection("books").document(documentId)
      docRef.getDocument { document, error in
        if let error = error as NSError? {
          self.errorMessage = "Error getting document: \(error.localizedDescription)"
        } else {
          if let document = document {
            let id = document.documentID
            let data = document.data()
            let title = data?["title"] as? String ?? ""
            let numberOfPages = data?["numberOfPages"] as? Int ?? 0
            let author = data?["author"] as? String ?? ""
            self.book = Book(id: id, title: title, numberOfPages: numberOfPages, author: author)
          }
        }
      }
    }

    func fetchBookAsType(documentId: String) {
      let docRef = db.collection("books").document(documentId)
      docRef.getDocument { document, error in
        if let error = error as NSError? {
          self.errorMessage = "Error getting document: \(error.localizedDescription)"
        } else {
          if let document = document {
            do {
              self.book = try document.data(as: Book.self)
            } catch {
              print(error)
            }
          }
        }
      }
    }

    func fetchBookAsResult(documentId: String) {
      let docRef = db.collection("books").document(documentId)
      docRef.getDocument(as: Book.self) { result in
        switch result {
        case .success(let book):
          // A Book value was successfully initialized from the DocumentSnapshot.
          self.book = book
          self.errorMessage = nil
        case .failure(let error):
          // A Book value could not be initialized from the DocumentSnapshot.
          self.errorMessage = "Error decoding document: \(error.localizedDescription)"
        }
      }
    }

    func updateBook(book: Book) {
      if let id = book.id {
        let docRef = db.collection("books").document(id)
        do {
          try docRef.setData(from: book)
        } catch {
          print(error)
        }
      }
    }

    func addBook(book: Book) {
      let collectionRef = db.collection("books")
      do {
        let newDocReference = try collectionRef.addDocument(from: self.book)
        print("Book stored with new document reference: \(newDocReference)")
      } catch {
        print(error)
      }
    }
  }
}
