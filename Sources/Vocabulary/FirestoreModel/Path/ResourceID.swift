import BaseStatus
import BaseText

/// Rules for a collection's or document's id, on its UTF-8 bytes.
///
/// An id has 1 to 1,500 bytes and no `/`, is neither `.` nor `..`, and does not have the reserved
/// form `__…__`; a document's may be `__id<int64>__`, which imports from Datastore bring along.
package enum ResourceID {
  /// Checks a collection's id that came alone, as queries and CreateDocument name it.
  package static func checkCollection(_ id: Text) throws(ServiceError) {
    try checkAlone(id, kind: "Collection id")
    if id.withBytes(isReserved) {
      throw .invalidArgument("Collection id \"\(id.string)\" is invalid because it is reserved.")
    }
  }

  /// Checks a document's id that came alone, as CreateDocument names it.
  package static func checkDocument(_ id: Text) throws(ServiceError) {
    try checkAlone(id, kind: "Document id")
    if let problem = id.withBytes({ reservedDocumentProblem($0) }) { throw problem }
  }

  /// Twenty of A-Z, a-z and 0-9, as client libraries make them.
  package static func random(using source: inout some RandomNumberGenerator) -> Text {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let bytes = (0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &source)] }
    return Text(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns true if a name begins and ends with two underscores, `____` included.
  package static func isReserved(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count >= 4 && name[0] == 0x5F && name[1] == 0x5F && name[name.count - 1] == 0x5F
      && name[name.count - 2] == 0x5F
  }

  /// Returns the error in a document id's reserved form; nil where there is none.
  static func reservedDocumentProblem(_ id: UnsafeRawBufferPointer) -> ServiceError? {
    guard isReserved(id), SegmentEncoding.numericID(id) == nil else { return nil }
    let text = String(decoding: id, as: UTF8.self)
    guard id.count >= 6, id[2] == 0x69, id[3] == 0x64 else {
      return .invalidArgument("Resource id \"\(text)\" is invalid because it is reserved.")
    }
    return .invalidArgument(
      "A long document ID string must be formatted like '__id{LONG}__', but was '\(text)'."
    )
  }

  private static func checkAlone(_ id: Text, kind: String) throws(ServiceError) {
    let name = id.string
    if id.isEmpty { throw .invalidArgument("\(kind) \"\" is invalid because it is empty.") }
    if name.utf8.contains(UInt8(ascii: "/")) {
      throw .invalidArgument("\(kind) \"\(name)\" is invalid because it contains \"/\".")
    }
    if id == "." || id == ".." {
      throw .invalidArgument("\(kind) \"\(name)\" is invalid because it is \"\(name)\".")
    }
    if id.byteCount > Limits.idSize {
      throw .invalidArgument(
        kind == "Collection id"
          ? "The query kind is longer than 1500 bytes."
          : "The key path element name is longer than 1500 bytes."
      )
    }
  }
}
