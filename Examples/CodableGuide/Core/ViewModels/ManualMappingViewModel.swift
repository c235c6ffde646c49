import FirebaseFirestore
import Observation

/// An example of the wrong way: a document's fields taken by hand.
///
/// A field that is missing or of another type silently becomes "" or 0.
@MainActor @Observable
package final class ManualMappingViewModel {
  package private(set) var book = Book.empty
  package private(set) var error: MappingError?
  @ObservationIgnored private let books: CollectionReference

  package init(_ database: Firestore) {
    books = database.collection("books")
  }

  package func fetch(_ id: String) async {
    do {
      let document = try await books.document(id).getDocument()
      let data = document.data()
      book = Book(
        title: data?["title"] as? String ?? "",
        numberOfPages: data?["numberOfPages"] as? Int ?? 0,
        author: data?["author"] as? String ?? ""
      )
      book.id = document.documentID
      error = nil
    } catch {
      self.error = MappingError(error)
    }
  }
}
