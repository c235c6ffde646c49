import FirebaseFirestore
import Foundation

// The samples of the Codable guide, word for word; `GuideTests` compares and runs them.

func titleByHand(of document: DocumentReference) async throws -> String {
  let data = try await document.getDocument().data()
  return data?["title"] as? String ?? ""
}

struct Book: Codable {
  @DocumentID var id: String?
  var title: String
  var numberOfPages: Int
  var author: String
}

func fetch(_ id: String, from books: CollectionReference) async throws -> Book {
  try await books.document(id).getDocument(as: Book.self)
}

func update(_ book: Book, in books: CollectionReference) throws {
  guard let id = book.id else { return }
  try books.document(id).setData(from: book, merge: true)
}

func add(_ book: Book, to books: CollectionReference) throws -> DocumentReference {
  try books.addDocument(from: book)
}

func fetchIfThere(_ id: String, from books: CollectionReference) async throws -> Book? {
  try await books.document(id).getDocument(as: Book?.self)
}

struct CoverImages: Codable {
  var small: URL
  var large: URL
}

struct Tag: Codable {
  var title: String
  var color: HexColor
}

struct RichBook: Codable {
  @DocumentID var id: String?
  var title: String
  var cover: CoverImages?
  var genres: [String]
  var tags: [Tag]
}

struct Visit: Codable {
  @ServerTimestamp var time: Date?
  @ExplicitNull var remark: String?
}

struct Office: Codable {
  @DocumentID var id: String?
  var name: String
  var location: GeoPoint
}

enum Status: String, Codable {
  case draft
  case inReview = "in review"
  case approved
  case published
}

struct Article: Codable {
  var title: String
  var status: Status
}

struct ProgrammingLanguage: Codable {
  @DocumentID var id: String?
  var name: String
  var year: Date
  var reasonWhyILoveThis = ""

  enum CodingKeys: String, CodingKey {
    case id
    case name = "language_name"
    case year
  }
}

struct HexColor: Codable, Equatable {
  var red, green, blue, alpha: UInt8

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
      let value = UInt32(digits.count == 6 ? digits + "ff" : digits, radix: 16),
      digits.count == 6 || digits.count == 8
    else {
      let problem = "\(text) is no colour."
      throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
    }
    red = UInt8(value >> 24)
    green = UInt8(value >> 16 & 255)
    blue = UInt8(value >> 8 & 255)
    alpha = UInt8(value & 255)
  }

  func encode(to encoder: any Encoder) throws {
    let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
    let digits = channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    var container = encoder.singleValueContainer()
    try container.encode("#" + digits.joined())
  }
}

func describe(_ error: any Error) -> String {
  switch error {
  case DecodingError.typeMismatch(_, let context):
    "Another type: \(context.debugDescription)"
  case DecodingError.valueNotFound(_, let context):
    "No value: \(context.debugDescription)"
  case DecodingError.keyNotFound(let key, _):
    "No field \(key.stringValue)"
  case DecodingError.dataCorrupted(let context):
    "No such value: \(context.debugDescription)"
  default:
    error.localizedDescription
  }
}

func languages(in snapshot: QuerySnapshot) -> (good: [ProgrammingLanguage], bad: [String]) {
  var good: [ProgrammingLanguage] = []
  var bad: [String] = []
  for document in snapshot.documents {
    do {
      good.append(try document.data(as: ProgrammingLanguage.self))
    } catch {
      bad.append("\(document.documentID): \(describe(error))")
    }
  }
  return (good, bad)
}

func follow(
  _ collection: CollectionReference,
  show: @escaping ([ProgrammingLanguage], [String]) -> Void
) -> any ListenerRegistration {
  collection.addSnapshotListener { snapshot, error in
    if let snapshot {
      let (good, bad) = languages(in: snapshot)
      show(good, bad)
    }
    if let error { show([], [describe(error)]) }
  }
}
