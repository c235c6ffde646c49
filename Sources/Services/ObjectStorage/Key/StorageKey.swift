import BaseText
import KeyValueStore

// The keys of files. All begin with 0x60, the first byte of `KeyOwner.files`, then the byte of their kind.
// Numbers and times (microseconds) are 8 bytes big-endian; names are their UTF-8, in which there is no zero byte.
//
//   0x01 bucket             name                           BucketRecord.swift
//   0x02 project's bucket   project, 0x00, name            a marker
//   0x03 object             bucket's number, name          ObjectRecord.swift
//   0x04 older version      bucket's number, name, 0x00, generation    ObjectRecord.swift
//   0x05 blob               blob's id                      BlobReferences.swift
//   0x06 released blob      blob's id                      a marker; files to remove
//   0x07 upload             upload's id                    UploadRecord.swift
//   0x08 upload's end       time, upload's id              a marker; what to sweep when
//   0x09 usage              bucket's number                StoredBucket.swift
//   0x0A open uploads       project, empty for all         OpenUploads.swift
//                           project, 0x00, caller          the same of one caller
//   0x0B HMAC key           access id                      HMACKey.swift
//   0x0C content            blob's id                      the bytes themselves; EngineContent.swift

extension KeyOwner {
  /// Buckets, objects' metadata, small objects' bytes and uploads; other bytes are in files.
  package static let files = KeyOwner("files", firstBytes: 0x60...0x6F)
}

/// The keys of files' metadata in the store.
enum StorageKey {
  enum Kind: UInt8 {
    case bucket = 0x01
    case projectBucket = 0x02
    case object = 0x03
    case version = 0x04
    case blob = 0x05
    case releasedBlob = 0x06
    case upload = 0x07
    case uploadEnd = 0x08
    case usage = 0x09
    case openUploads = 0x0A
    case hmacKey = 0x0B
    case content = 0x0C
  }

  static func prefix(_ kind: Kind) -> [UInt8] {
    [KeyOwner.files.firstBytes.lowerBound, kind.rawValue]
  }

  static func bucket(_ name: BucketName) -> [UInt8] { prefix(.bucket) + name.text.utf8 }

  static func projectBuckets(_ project: Text) -> [UInt8] {
    prefix(.projectBucket) + project.utf8 + [0]
  }

  static func projectBucket(_ project: Text, _ name: BucketName) -> [UInt8] {
    projectBuckets(project) + name.text.utf8
  }

  static func objects(_ bucket: Int64) -> [UInt8] { prefix(.object) + number(bucket) }

  static func object(_ bucket: Int64, _ name: ObjectName) -> [UInt8] {
    objects(bucket) + name.text.utf8
  }

  static func versions(_ bucket: Int64) -> [UInt8] { prefix(.version) + number(bucket) }

  static func versions(_ bucket: Int64, _ name: ObjectName) -> [UInt8] {
    versions(bucket) + name.text.utf8 + [0]
  }

  static func version(_ bucket: Int64, _ name: ObjectName, _ generation: Int64) -> [UInt8] {
    versions(bucket, name) + number(generation)
  }

  static func blob(_ id: BlobID) -> [UInt8] { prefix(.blob) + id.bytes }

  static func releasedBlob(_ id: BlobID) -> [UInt8] { prefix(.releasedBlob) + id.bytes }

  static func content(_ id: BlobID) -> [UInt8] { prefix(.content) + id.bytes }

  static func upload(_ id: UploadID) -> [UInt8] { prefix(.upload) + id.text.utf8 }

  static func uploadEnd(_ time: Int64, _ id: UploadID) -> [UInt8] {
    prefix(.uploadEnd) + number(time) + id.text.utf8
  }

  static func openUploads(_ project: Text) -> [UInt8] { prefix(.openUploads) + project.utf8 }

  static func openUploads(_ project: Text, _ caller: Text) -> [UInt8] {
    openUploads(project) + [0] + caller.utf8
  }

  static func hmacKey(_ accessID: Text) -> [UInt8] { prefix(.hmacKey) + accessID.utf8 }

  static func usage(_ bucket: Int64) -> [UInt8] { prefix(.usage) + number(bucket) }

  /// The number of bytes before a name in the keys of objects and versions.
  static let nameOffset = 10

  static func number(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

extension Text {
  /// The text's bytes.
  var utf8: [UInt8] { withBytes { Array($0) } }
}

extension RecordWriter {
  /// Appends a text; leaves out nil.
  mutating func put(_ tag: UInt8, _ text: Text?) { put(tag, text?.string) }

  /// Appends pairs of texts, each as a record of two.
  mutating func put(_ tag: UInt8, pairs: [Text: Text]) {
    for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
      put(tag) { inner in
        inner.put(1, key)
        inner.put(2, value)
      }
    }
  }
}

extension RecordReader.Field {
  /// The field as a text.
  func text() throws -> Text { Text(try string()) }

  /// The field as a pair of texts.
  func pair() throws -> (Text, Text) {
    var reader = try record()
    var (key, value) = (Text(""), Text(""))
    while let field = try reader.next() {
      switch field.tag {
      case 1: key = try field.text()
      case 2: value = try field.text()
      default: break
      }
    }
    return (key, value)
  }
}
