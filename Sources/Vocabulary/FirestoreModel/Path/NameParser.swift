import BaseStatus
import BaseText

/// Reads `projects/{p}/databases/{d}` and what follows from UTF-8 bytes, without copying them.
///
/// The bytes must be valid UTF-8. Errors carry Firestore's texts, with byte positions.
struct NameParser {
  private let bytes: UnsafeRawBufferPointer
  /// The text's name in errors: `Document name`, `Document parent name`, `Database name`.
  private let kind: StaticString
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer, kind: StaticString) {
    self.bytes = bytes
    self.kind = kind
  }

  var isAtEnd: Bool { position == bytes.count }

  /// Reads the database and returns where the project's and the database's ids are.
  mutating func database() throws(ServiceError) -> (project: Range<Int>, database: Range<Int>) {
    try word("projects")
    try slash()
    let project = try anyID()
    try slash()
    try word("databases")
    try slash()
    return (project, try anyID())
  }

  /// Reads `/documents` and an optional path, handing on each id's offset.
  mutating func path(
    allowingRoot: Bool,
    _ body: (Range<Int>) -> Void
  ) throws(ServiceError) {
    try slash()
    try word("documents")
    if isAtEnd && allowingRoot { return }
    var depth = 0
    repeat {
      try slash()
      body(try resourceID(isDocument: false))
      try slash()
      body(try resourceID(isDocument: true))
      depth += 1
    } while !isAtEnd
    try checkSize(depth: depth)
  }

  mutating func end() throws(ServiceError) {
    if !isAtEnd { throw malformed("has extra characters at index \(position).") }
  }

  func text(_ range: Range<Int>) -> Text {
    Text(validated: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  private mutating func slash() throws(ServiceError) {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "/")
    else { throw malformed("lacks \"/\" at index \(position).") }
    position += 1
  }

  private mutating func word(_ word: StaticString) throws(ServiceError) {
    let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    let end = position + expected.count
    guard end <= bytes.count,
      compareBytes(UnsafeRawBufferPointer(rebasing: bytes[position..<end]), expected) == .equal
    else { throw malformed("lacks \"\(word)\" at index \(position).") }
    position = end
  }

  /// Reads up to the next `/`: not empty, not a step of a file path.
  private mutating func anyID() throws(ServiceError) -> Range<Int> {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "/") { position += 1 }
    let count = position - start
    if count == 0 { throw malformed("has an empty resource id at index \(start).") }
    if bytes[start] == UInt8(ascii: "."),
      count == 1 || (count == 2 && bytes[start + 1] == UInt8(ascii: "."))
    {
      let id = count == 1 ? "." : ".."
      throw malformed("contains a resource id \"\(id)\" at index \(start).")
    }
    return start..<position
  }

  private mutating func resourceID(isDocument: Bool) throws(ServiceError) -> Range<Int> {
    let range = try anyID()
    if range.count > Limits.idSize {
      let part = isDocument ? "name" : "kind"
      throw .invalidArgument("The key path element \(part) is longer than 1500 bytes.")
    }
    guard bytes[range.lowerBound] == UInt8(ascii: "_") else { return range }
    let id = UnsafeRawBufferPointer(rebasing: bytes[range])
    if isDocument {
      if let problem = ResourceID.reservedDocumentProblem(id) { throw problem }
    } else if ResourceID.isReserved(id) {
      let name = String(decoding: id, as: UTF8.self)
      throw .invalidArgument("Resource id \"\(name)\" is invalid because it is reserved.")
    }
    return range
  }

  private func checkSize(depth: Int) throws(ServiceError) {
    if bytes.count > Limits.nameSize {
      throw .invalidArgument("\(kind) is longer than \(Limits.nameSize) bytes.")
    }
    if depth > Limits.collectionDepth {
      throw .invalidArgument(
        "\(kind) has more than \(Limits.collectionDepth) collections inside one another."
      )
    }
  }

  private func malformed(_ problem: String) -> ServiceError {
    .invalidArgument("\(kind) \"\(String(decoding: bytes, as: UTF8.self))\" \(problem)")
  }
}
