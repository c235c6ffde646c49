// swift-format-ignore-file
// The listings are the guide's.
import FirebaseFirestore
import Foundation

/// The guide to Codable: documents as Swift types, from its first listing to its last.
///
/// UI apart: `ObservableObject` has its own stand-in, and colours are values of this file, as `Color` is
/// SwiftUI's.
enum Guide {}

extension Guide {
  // What the Codable is
  struct PlainBook: Codable {
    var title: String
    var numberOfPages: Int
    var author: String
  }

  // Simple types
  struct Book: Codable {
    @DocumentID var id: String?
    var title: String
    var numberOfPages: Int
    var author: String

    // The guide leaves it out.
    static let empty = Book(title: "", numberOfPages: 0, author: "")
  }

  // Nested types
  struct CoverImages: Codable {
    var small: URL
    var medium: URL
    var large: URL
  }

  struct BookWithCoverImages: Codable {
    @DocumentID var id: String?
    var title: String
    var numberOfPages: Int
    var author: String
    var cover: CoverImages?
  }

  // Arrays
  public struct BookWithGenre: Codable {
    @DocumentID var id: String?
    var title: String
    var numberOfPages: Int
    var author: String
    var genres: [String]
  }

  enum PlainTags {
    struct Tag: Codable, Hashable {
      var title: String
      var color: String
    }

    struct BookWithTags: Codable {
      @DocumentID var id: String?
      var title: String
      var numberOfPages: Int
      var author: String
      var tags: [Tag]
    }
  }

  // Dates
  struct ProgrammingLanguage: Codable {
    @DocumentID var id: String?
    var name: String
    var year: Date
  }

  // Points on a map
  struct Office: Codable {
    @DocumentID var id: String?
    var name: String
    var location: GeoPoint
  }

  // Enums
  enum PlainStatus: String, Codable {
    case draft
    case inReview
    case approved
    case published
  }

  enum Status: String, Codable {
    case draft
    case inReview = "in review"
    case approved
    case published
  }

  // Other names for fields
  struct LanguageWithKeys: Codable {
    @DocumentID var id: String?
    var name: String
    var year: Date
    enum CodingKeys: String, CodingKey {
      case id
      case name = "language_name"
      case year
    }
  }

  // The guide says what becomes of the id, without a listing.
  struct LanguageWithoutID: Codable {
    @DocumentID var id: String?
    var name: String
    var year: Date
    enum CodingKeys: String, CodingKey {
      case name = "language_name"
      case year
    }
  }

  struct RenamedLanguage: Identifiable, Codable {
    @DocumentID var id: String?
    var name: String
    var year: Date
    var reasonWhyILoveThis: String = ""
    enum CodingKeys: String, CodingKey {
      case id
      case name = "language_name"
      case year
    }
  }

  // The guide describes these two without a listing.
  struct Article: Codable {
    @DocumentID var id: String?
    var title: String
    var status: Status
    @ServerTimestamp var createdAt: Date?
    @ExplicitNull var editor: String?
  }

  // Colours
  struct Tag: Codable, Hashable {
    var title: String
    var color: Color
  }

  struct BookWithTags: Codable {
    @DocumentID var id: String?
    var title: String
    var numberOfPages: Int
    var author: String
    var tags: [Tag]
  }

  struct ColorEntry: Codable {
    @DocumentID var id: String?
    var name: String
    var color: Color

    // The guide leaves it out.
    static let empty = ColorEntry(name: "", color: Color(hex: "#000000"))
  }
}
