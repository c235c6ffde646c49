import FirestoreModel
import KeyValueStore

/// A document's record as the store keeps it.
///
/// The value is: create version (8 bytes big-endian), update version (8 bytes), then the fields as
/// `DocumentFields` has them. Live records and history records look alike.
package struct StoredDocument: Sendable, Hashable {
  /// The version of the commit that created the document.
  package let createTime: CommitVersion
  /// The version of the commit that wrote this record.
  package let updateTime: CommitVersion
  /// The fields, still encoded.
  package let fields: DocumentFields

  /// The bytes before the fields.
  package static let headerLength = 16

  /// A record of these parts.
  package init(createTime: CommitVersion, updateTime: CommitVersion, fields: DocumentFields) {
    self.createTime = createTime
    self.updateTime = updateTime
    self.fields = fields
  }

  /// Reads a record's value; only the fields are copied.
  package init(value: UnsafeRawBufferPointer) throws(KeyValueError) {
    var position = 0
    guard let create = readBigEndian(value, at: &position),
      let update = readBigEndian(value, at: &position)
    else { throw KeyValueError(.corruption, "a document's record is shorter than its header") }
    createTime = CommitVersion(microseconds: Int64(bitPattern: create))
    updateTime = CommitVersion(microseconds: Int64(bitPattern: update))
    fields = DocumentFields(validated: [UInt8](value[position...]))
  }

  /// Reads a record's value.
  package init(value: [UInt8]) throws {
    self = try value.withUnsafeBytes { try StoredDocument(value: $0) }
  }

  /// The record's value.
  package var value: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerLength + fields.bytes.count)
    bytes.append(createTime)
    bytes.append(updateTime)
    bytes.append(contentsOf: fields.bytes)
    return bytes
  }

  /// The update version of a record's value, without reading the rest.
  package static func updateTime(
    ofValue value: UnsafeRawBufferPointer
  ) throws(KeyValueError) -> CommitVersion {
    var position = 8
    guard let version = readBigEndian(value, at: &position) else {
      throw KeyValueError(.corruption, "a document's record is shorter than its header")
    }
    return CommitVersion(microseconds: Int64(bitPattern: version))
  }

  /// The record with its name, as readers want it.
  package func record(name: DocumentName) -> DocumentRecord {
    DocumentRecord(name: name, fields: fields, createTime: createTime, updateTime: updateTime)
  }
}

extension ValueFormat where Decoded == StoredDocument {
  /// A document, live or in the history.
  static var document: Self { ValueFormat("a document") { try StoredDocument(value: $0) } }
}

extension ValueFormat where Decoded == CommitVersion {
  /// A document's update version.
  static var documentVersion: Self {
    ValueFormat("a document") { try StoredDocument.updateTime(ofValue: $0) }
  }
}
