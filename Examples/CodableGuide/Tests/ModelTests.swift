import CodableGuideCore
import FirebaseFirestore
import Foundation
import Testing

/// Tests of the models without any server.
@Suite struct `Codable guide's models` {
  @Test(arguments: [
    ("#f05138", "#f05138"), ("#F05138", "#f05138"), ("#f0513800", "#f0513800"),
    ("#F05138FF", "#f05138"), ("#000000", "#000000"), ("#ffffff7F", "#ffffff7f"),
  ])
  func `a colour keeps its text, alpha included`(stored: String, written: String) throws {
    let fields = ["name": "x", "color": stored]
    let entry = try Firestore.Decoder().decode(
      CodableGuideCore.Tag.self,
      from: ["title": "x", "color": stored]
    )
    #expect(fields["color"] == stored && entry.color.text == written)
    let again = try Firestore.Encoder().encode(entry)
    #expect(again["color"] as? String == written)
  }

  @Test(arguments: ["", "#", "f05138", "#f0513", "#f051381", "#f05138fff", "#g05138", "#+05138"])
  func `a text that is no colour is corrupt data, not black`(text: String) {
    #expect(HexColor(text) == nil)
    let problem = Self.problem(CodableGuideCore.Tag.self, ["title": "x", "color": text])
    #expect(problem?.kind == .dataCorrupted)
    #expect(problem?.detail.hasPrefix("color: ") == true)
  }

  @Test func `text is black on what is light in two channels`() {
    #expect(HexColor("#ffd60a")?.isLight == true && HexColor("#ff0000")?.isLight == false)
    #expect(HexColor("#00000010")?.isLight == true && HexColor("#a6a6a6")?.isLight == true)
    #expect(HexColor("#a5a5a5")?.isLight == false)
  }

  @Test func `errors are told apart`() {
    let good: [String: Any] = ["title": "T", "numberOfPages": 1, "author": "A"]
    #expect(
      Self.problem(Book.self, good.merging(["numberOfPages": "1"]) { $1 })?.kind == .typeMismatch
    )
    #expect(Self.problem(Book.self, good.filter { $0.key != "author" })?.kind == .keyNotFound)
    #expect(Self.problem(Book.self, NSNull())?.kind == .valueNotFound)
    let status = Self.problem(Article.self, ["title": "T", "status": "lost"])
    #expect(status?.kind == .dataCorrupted && status?.detail.hasPrefix("status: ") == true)
    let texts = Set([
      Self.problem(Book.self, NSNull())?.text, status?.text,
      Self.problem(Book.self, good.filter { $0.key != "author" })?.text,
      MappingError(FirestoreErrorCode(.permissionDenied)).text,
    ])
    #expect(texts.count == 4 && !texts.contains(nil))
  }

  @Test func `keys and statuses are stored as other clients call them`() throws {
    var language = ProgrammingLanguage.empty
    language.name = "Swift"
    language.reasonWhyILoveThis = "Optionals"
    let fields = try Firestore.Encoder().encode(language)
    #expect(Set(fields.keys) == ["language_name", "year"] && fields["year"] is Timestamp)
    let statuses = try Article.Status.allCases.map {
      var article = Article.empty
      article.status = $0
      return try Firestore.Encoder().encode(article)["status"] as? String
    }
    #expect(statuses == ["draft", "in review", "approved", "published"])
  }

  @Test func `a map has its pins where they belong`() throws {
    let (west, east) = (GeoPoint(latitude: 0, longitude: -10), GeoPoint(latitude: 0, longitude: 10))
    let map = MapFrame(fitting: [west, east])
    let (left, right) = (try #require(map.position(of: west)), try #require(map.position(of: east)))
    #expect(abs(left.x + right.x - 1) < 1e-9 && left.x < right.x)
    #expect(abs(left.y - 0.5) < 1e-9 && abs(map.span - 28) < 1e-9)
    #expect(map.position(of: GeoPoint(latitude: 0, longitude: 15)) == nil)
    let north = try #require(map.position(of: GeoPoint(latitude: 5, longitude: 0)))
    #expect(north.y < 0.5 && abs(north.x - 0.5) < 1e-9)
    #expect(map.meridians.map(\.degrees) == [-10, -5, 0, 5, 10])
    #expect(map.parallels.map(\.degrees) == [10, 5, 0, -5, -10].sorted())
    let close = MapFrame(center: east, span: MapFrame.closeSpan)
    let middle = try #require(close.position(of: east))
    #expect(abs(middle.x - 0.5) < 1e-9 && abs(middle.y - 0.5) < 1e-9)
    #expect(close.meridians.count >= 3 && MapFrame(fitting: []).span == 360)
  }

  @Test func `names on a map cover neither each other nor a pin`() {
    // The sample's offices on the map that shows them all: two in California are a point apart.
    let offices = [
      ("Googleplex", 56.0, 170.0), ("Hamburg", 334.0, 120.0), ("New York", 157.0, 160.0),
      ("San Francisco", 55.0, 169.0), ("UK", 313.0, 126.0),
    ]
    var labels = MapLabels(width: 390, height: 300)
    for (_, x, y) in offices { labels.addPin(x: x, y: y) }
    var boxes: [MapLabels.Box] = []
    for (name, x, y) in offices {
      guard let side = labels.place(name, x: x, y: y) else {
        Issue.record("\(name) has no room")
        continue
      }
      boxes.append(MapLabels.box(of: name, side, x: x, y: y))
    }
    for (index, box) in boxes.enumerated() {
      #expect(!boxes.dropFirst(index + 1).contains(where: box.overlaps), "\(offices[index].0)")
      #expect(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 300)
    }
    // A name without room is left out.
    let sides = (0..<6).map { _ in labels.place("San Francisco", x: 55, y: 169) }
    #expect(sides.last == .some(nil))
  }

  /// Returns the error of decoding a value; nil if it succeeds.
  private static func problem<Value: Decodable>(_ type: Value.Type, _ fields: Any) -> MappingError?
  {
    do {
      let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
      options.projectID = "models"
      let app = try FirebaseApp.configured(name: UUID().uuidString, options: options)
      let document = Firestore.firestore(app: app).document("any/document")
      _ = try Firestore.Decoder().decode(type, from: fields, in: document)
      return nil
    } catch {
      return MappingError(error)
    }
  }
}
