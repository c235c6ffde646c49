import FirebaseFirestore
import Observation

/// One book in a form: fetched, changed, added.
///
/// It is the same for every kind of book.
@MainActor @Observable
package final class BookViewModel<Value: BookDocument> {
  package var book = Value.empty
  /// The result of the last step.
  package private(set) var notice: String?
  package private(set) var error: MappingError?
  @ObservationIgnored private let books: CollectionReference

  package init(_ database: Firestore) {
    books = database.collection("books")
  }

  package func fetch(_ id: String = Value.sample) async {
    do {
      book = try await books.document(id).getDocument(as: Value.self)
      succeed("Fetched \(id)")
    } catch {
      self.error = MappingError(error)
      notice = nil
    }
  }

  /// Writes the fields that this kind of book knows; others that the document has stay.
  package func update() {
    guard let id = book.id else { return }
    write("Updated \(id)") {
      try books.document(id).setData(from: book, merge: true, completion: $0)
    }
  }

  /// Stores the form as a new document; the id is known at once, with a connection or without.
  package func add() {
    write("Added") {
      let document = try books.addDocument(from: book, completion: $0)
      book.id = document.documentID
    }
  }

  /// Empties the form.
  package func startNew() {
    book = .empty
    succeed(nil)
  }

  /// Hands a write the completion that tells of the server's refusal.
  private func write(_ notice: String, _ body: (@escaping ((any Error)?) -> Void) throws -> Void) {
    do {
      try body { [weak self] error in
        guard let self, let error else { return }
        self.error = MappingError(error)
        self.notice = nil
      }
      succeed(notice)
    } catch {
      self.error = MappingError(error)
    }
  }

  private func succeed(_ text: String?) {
    notice = text
    error = nil
  }
}

extension BookViewModel<BookWithGenre> {
  private static let genres = ["Sci-Fi", "Comedy", "Fiction"]

  /// Adds the first genre that the book lacks.
  package func addGenre() {
    if let genre = Self.genres.first(where: { !book.genres.contains($0) }) {
      book.genres.append(genre)
    }
  }
}

extension BookViewModel<BookWithTags> {
  private static let tags = [
    Tag(title: "fun", color: HexColor(red: 0xff, green: 0xd6, blue: 0x0a)),
    Tag(title: "series", color: HexColor(red: 0x0a, green: 0x84, blue: 0xff)),
    Tag(title: "classic", color: HexColor(red: 0x30, green: 0xd1, blue: 0x58, alpha: 0xcc)),
  ]

  /// Adds the first tag that the book lacks.
  package func addTag() {
    let titles = book.tags.map(\.title)
    if let tag = Self.tags.first(where: { !titles.contains($0.title) }) { book.tags.append(tag) }
  }
}
