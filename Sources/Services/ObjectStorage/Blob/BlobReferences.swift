import KeyValueStore

// A blob's record, in the form of RecordWriter.swift: 1 references, 2 size. A blob that is released has no
// record, and a marker among the released ones until its file is removed.

/// How often a blob is named by objects.
struct BlobReferences {
  var count: Int64
  var size: Int64

  static let format = ValueFormat("a blob's references") { try RecordReader(Array($0)) }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, count)
    writer.put(2, size)
    return writer.bytes
  }

  init(count: Int64, size: Int64) {
    self.count = count
    self.size = size
  }

  init(_ record: RecordReader) throws {
    var reader = record
    self.init(count: 0, size: 0)
    while let field = try reader.next() {
      switch field.tag {
      case 1: count = try field.number()
      case 2: size = try field.number()
      default: break
      }
    }
  }
}

extension KeyValueReader {
  func references(of blob: BlobID) throws -> BlobReferences? {
    try get(StorageKey.blob(blob), as: BlobReferences.format).map { try BlobReferences($0) }
  }
}

extension KeyValueGroup {
  /// One more object names the blob, which is released no longer.
  func retain(_ blob: BlobID, size: Int64) throws {
    let known = try references(of: blob)
    let marker = StorageKey.releasedBlob(blob)
    if known == nil, try get(marker) != nil { try delete(marker) }
    var references = known ?? BlobReferences(count: 0, size: size)
    references.count += 1
    try put(StorageKey.blob(blob), references.bytes)
  }

  /// One object fewer names the blob; its bytes are removed after the last one.
  func release(_ blob: BlobID) throws {
    guard var references = try references(of: blob) else {
      throw StorageError(.corrupt, "An object's blob has no references.")
    }
    references.count -= 1
    guard references.count <= 0 else {
      return try put(StorageKey.blob(blob), references.bytes)
    }
    try delete(StorageKey.blob(blob))
    try putMarker(StorageKey.releasedBlob(blob))
  }
}
