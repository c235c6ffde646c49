import BaseStatus
import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

private let root = "projects/p/databases/(default)/documents"

@Suite struct NameTests {
  @Test(arguments: [
    "\(root)/c/d", "\(root)/c/d/e/f", "\(root)/c/__id7__", "\(root)/c\u{0}/d",
    "\(root)/c/__id-9223372036854775808__", "\(root)/__x/y__", "\(root)/c/a b%2F.é",
    "projects/example.com:p/databases/other/documents/c/d",
  ])
  func `valid names come back as they were`(text: String) throws {
    #expect(try DocumentName(parsing: text).string == text)
  }

  @Test(arguments: [
    ("", #"Document name "" lacks "projects" at index 0."#),
    ("projects", #"Document name "projects" lacks "/" at index 8."#),
    ("projects/p/data", #"Document name "projects/p/data" lacks "databases" at index 11."#),
    ("projects/p/databases/d", #"Document name "projects/p/databases/d" lacks "/" at index 22."#),
    (
      "projects/p/databases/d/docs/a/b",
      #"Document name "projects/p/databases/d/docs/a/b" lacks "documents" at index 23."#
    ),
    (root, #"Document name "\#(root)" lacks "/" at index 40."#),
    ("\(root)/c", #"Document name "\#(root)/c" lacks "/" at index 42."#),
    ("\(root)/c/", #"Document name "\#(root)/c/" has an empty resource id at index 43."#),
    ("\(root)//d", #"Document name "\#(root)//d" has an empty resource id at index 41."#),
    ("\(root)/c/.", #"Document name "\#(root)/c/." contains a resource id "." at index 43."#),
    ("\(root)/../d", #"Document name "\#(root)/../d" contains a resource id ".." at index 41."#),
    ("\(root)/c/__x__", #"Resource id "__x__" is invalid because it is reserved."#),
    ("\(root)/____/d", #"Resource id "____" is invalid because it is reserved."#),
    ("\(root)/__id7__/d", #"Resource id "__id7__" is invalid because it is reserved."#),
  ])
  func `malformed names are refused with Firestore's text`(text: String, message: String) {
    #expect(refusal { () throws(ServiceError) in _ = try DocumentName(parsing: text) } == message)
  }

  @Test func `a numeric id has one spelling`() {
    let message = refusal { () throws(ServiceError) in
      _ = try DocumentName(parsing: "\(root)/c/__id07__")
    }
    #expect(
      message?.hasPrefix("A long document ID string must be formatted like '__id{LONG}__'") == true
    )
  }

  @Test func `ids end at 1500 bytes and names at 6 KiB`() throws {
    let long = String(repeating: "é", count: 750)
    #expect(try DocumentName(parsing: "\(root)/c/\(long)").path.lastID == Text(long))
    #expect(
      refusal { () throws(ServiceError) in
        _ = try DocumentName(parsing: "\(root)/c/\(long)x")
      } == "The key path element name is longer than 1500 bytes."
    )
    let deep = String(repeating: "/\(long)/\(long)", count: 3)
    #expect(throws: ServiceError.self) { try DocumentName(parsing: root + deep) }
  }

  @Test func `parents are the root or documents`() throws {
    #expect(try ParentName(parsing: root).path == .root)
    #expect(try ParentName(parsing: "\(root)/c/d").path.segments == ["c", "d"])
    #expect(try ParentName(parsing: "\(root)/c/d").string == "\(root)/c/d")
    #expect(
      refusal { () throws(ServiceError) in _ = try ParentName(parsing: "\(root)/c") }
        == #"Document parent name "\#(root)/c" lacks "/" at index 42."#
    )
  }

  @Test func `databases are named alone`() throws {
    #expect(try DatabaseID(parsing: "projects/p/databases/d").path == "projects/p/databases/d")
    #expect(
      refusal { () throws(ServiceError) in _ = try DatabaseID(parsing: "") }
        == #"Database name "" lacks "projects" at index 0."#
    )
    #expect(throws: ServiceError.self) { try DatabaseID(parsing: root) }
  }

  @Test(arguments: [
    ("a/b", #"Collection id "a/b" is invalid because it contains "/"."#),
    ("__a__", #"Collection id "__a__" is invalid because it is reserved."#),
    (String(repeating: "x", count: 1_501), "The query kind is longer than 1500 bytes."),
  ])
  func `collection ids that come alone are checked`(id: String, message: String) {
    #expect(
      refusal { () throws(ServiceError) in try ResourceID.checkCollection(Text(id)) } == message
    )
  }

  @Test func `random ids are 20 letters and digits of the source`() {
    var source = SeededSource(seed: 1)
    var same = SeededSource(seed: 1)
    let id = ResourceID.random(using: &source)
    #expect(id.byteCount == 20)
    #expect(id == ResourceID.random(using: &same))
    #expect(id != ResourceID.random(using: &source))
  }
}

/// The text that the body is refused with; nil where it is not.
func refusal(_ body: () throws(ServiceError) -> Void) -> String? {
  do throws(ServiceError) {
    try body()
    return nil
  } catch {
    return error.message
  }
}
