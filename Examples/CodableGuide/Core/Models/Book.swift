import FirebaseFirestore
import Foundation

/// The properties of every kind of book in the collection `books`.
package protocol BookDocument: Codable, Sendable {
  var id: String? { get set }
  var title: String { get set }
  var numberOfPages: Int { get set }
  var author: String { get set }

  /// A book that nobody wrote yet.
  static var empty: Self { get }
  /// The document that the sample data has for this kind.
  static var sample: String { get }
}

/// Simple types: the compiler writes the whole mapping.
///
/// `@DocumentID` takes the document's id when it is read and is left out when it is written.
package struct Book: BookDocument {
  @DocumentID package var id: String?
  package var title: String
  package var numberOfPages: Int
  package var author: String

  package static var empty: Book { Book(title: "", numberOfPages: 0, author: "") }
  package static let sample = "hitchhiker"
}

/// A custom type in the document: a map of its own.
package struct CoverImages: Codable, Equatable, Sendable {
  package var small: URL
  package var medium: URL
  package var large: URL
}

/// A book with a map that some documents lack: a missing optional is nil.
package struct BookWithCoverImages: BookDocument {
  @DocumentID package var id: String?
  package var title: String
  package var numberOfPages: Int
  package var author: String
  package var cover: CoverImages?

  package static var empty: BookWithCoverImages {
    BookWithCoverImages(title: "", numberOfPages: 0, author: "")
  }
  package static let sample = "hitchhiker-image-urls"
}

/// A book with an array.
package struct BookWithGenre: BookDocument {
  @DocumentID package var id: String?
  package var title: String
  package var numberOfPages: Int
  package var author: String
  package var genres: [String]

  package static var empty: BookWithGenre {
    BookWithGenre(title: "", numberOfPages: 0, author: "", genres: [])
  }
  package static let sample = "hitchhiker-genre"
}

/// A book with an array of a custom type; what is nested needs no id, it is part of the document.
package struct BookWithTags: BookDocument {
  @DocumentID package var id: String?
  package var title: String
  package var numberOfPages: Int
  package var author: String
  package var tags: [Tag]

  package static var empty: BookWithTags {
    BookWithTags(title: "", numberOfPages: 0, author: "", tags: [])
  }
  package static let sample = "hitchhiker-tags"
}

/// A word on a book, with the colour that it is shown in.
package struct Tag: Codable, Hashable, Sendable {
  package var title: String
  package var color: HexColor

  package init(title: String, color: HexColor) {
    self.title = title
    self.color = color
  }
}
