import KeyValueStore

extension ObjectStorage {
  /// Counts how many objects name each blob, and compares the numbers with the blobs' records, at
  /// one version of the store.
  ///
  /// Takes about 100 bytes of memory for each of `atOnce` blobs; where there are more they are counted in parts by their names, which
  /// are random, each at a version of its own. Blocks a thread of scans.
  ///
  /// - Returns: A line a blob that differs, up to `limit`.
  package func verifyBlobs(atOnce: Int = 1_000_000, limit: Int = 1_000) async throws -> [String] {
    var differences: [String] = []
    var (part, parts) = (0, 1)
    while part < parts, differences.count < limit {
      let (number, count) = (part, parts)
      let found = try await read(on: .scans) { view in
        try BlobCount(view, part: number, of: count, atOnce: atOnce)
      }
      if let found {
        differences += found.differences
        part += 1
      } else {
        // Each part becomes two; those before are counted.
        (part, parts) = (part * 2, parts * 2)
      }
    }
    return Array(differences.prefix(limit))
  }
}

/// The numbers of references to the blobs of a part, by objects and by the blobs' records.
private struct BlobCount {
  private(set) var differences: [String] = []

  /// Counts the blobs of one of several parts; nil where these are too many.
  init?(_ view: any KeyValueReader, part: Int, of parts: Int, atOnce: Int) throws {
    var named: [BlobID: Int64] = [:]
    for kind in [StorageKey.Kind.object, .version] {
      let cursor = try view.cursor(over: KeyRange(prefix: StorageKey.prefix(kind)), reversed: false)
      while try cursor.next() {
        let blob = try Self.blob(of: cursor.value(as: ObjectRecord.format, in: view))
        guard Self.part(of: blob, parts) == part else { continue }
        named[blob, default: 0] += 1
        if named.count > atOnce, parts < 1 << 16 { return nil }
      }
    }
    let prefix = StorageKey.prefix(.blob)
    let cursor = try view.cursor(over: KeyRange(prefix: prefix), reversed: false)
    while try cursor.next() {
      guard let blob = BlobID(Array(cursor.key[prefix.count...])) else {
        throw StorageError(.corrupt, "A blob's key is damaged.")
      }
      guard Self.part(of: blob, parts) == part else { continue }
      let kept = try BlobReferences(cursor.value(as: BlobReferences.format, in: view)).count
      let counted = named.removeValue(forKey: blob) ?? 0
      if kept != counted {
        differences.append("blob \(blob): its record says \(kept) objects; there are \(counted)")
      }
    }
    // A blob without a record is a difference of the objects that name it.
  }

  private static func blob(of record: RecordReader) throws -> BlobID {
    var reader = record
    while let field = try reader.next() {
      if field.tag == 3, let blob = BlobID(field.raw) { return blob }
    }
    throw RecordReader.corrupt("no blob")
  }

  /// Returns the part that a blob is in, of a power of two of parts, by the high bits of its name:
  /// part n is 2n and 2n + 1 of twice as many.
  private static func part(of blob: BlobID, _ parts: Int) -> Int {
    (blob.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } * parts) >> 32
  }
}
