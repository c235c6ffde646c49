import KeyValueStore

// A blob's record, in the form of RecordWriter.swift: 1 references, 2 size, 3 whether the engine has its bytes. A blob
// that is released has no record; it has a marker among the released ones until its file is removed, unless its bytes
// were the engine's: those go in the write that releases it.

/// The number of times that objects name a blob.
struct BlobReferences {
  var count: Int64
  var size: Int64
  /// True if the bytes are under a key of the engine's, and in no file.
  var isInEngine: Bool

  static let format = ValueFormat("a blob's references") { try RecordReader(Array($0)) }

  var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, count)
    writer.put(2, size)
    writer.put(3, isInEngine)
    return writer.bytes
  }

  init(count: Int64, size: Int64, isInEngine: Bool = false) {
    self.count = count
    self.size = size
    self.isInEngine = isInEngine
  }

  init(_ record: RecordReader) throws {
    var reader = record
    self.init(count: 0, size: 0)
    while let field = try reader.next() {
      switch field.tag {
      case 1: count = try field.number()
      case 2: size = try field.number()
      case 3: isInEngine = field.flag
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
  ///
  /// - Parameter content: The bytes of a new blob, for the engine to keep; nil where the blob store has them.
  func retain(_ blob: BlobID, size: Int64, content: [UInt8]? = nil) throws {
    let known = try references(of: blob)
    let marker = StorageKey.releasedBlob(blob)
    if known == nil, try get(marker) != nil { try delete(marker) }
    if known == nil, let content, !content.isEmpty { try put(StorageKey.content(blob), content) }
    var references =
      known ?? BlobReferences(count: 0, size: size, isInEngine: content != nil)
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
    guard !references.isInEngine else { return try delete(StorageKey.content(blob)) }
    try putMarker(StorageKey.releasedBlob(blob))
  }
}
