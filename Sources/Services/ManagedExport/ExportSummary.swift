import DocumentCodec

/// The indexes of a managed export.
///
///     NAME.overall_export_metadata     a record a part: {1: {1: {1: 2, 3: 3}, 2: the part's index, 3: entities, 4: bytes}}
///     all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata
///                                      a message: {1: {1: NAME, 2: start, 3: end}, 2: {1: "", 2: a file's name}}
///     all_namespaces/all_kinds/output-0   entities, a record each
///
/// Times are microseconds since 1970.
package struct ExportSummary: Sendable, Equatable {
  /// Entities in all files; nil where the index does not say.
  package let entities: Int?

  /// The ending of the index's name.
  package static let ending = ".overall_export_metadata"
  /// The folder of the part that has everything.
  package static let folder = "all_namespaces/all_kinds"
  /// The index of that part, in its folder.
  package static let partIndex = "all_namespaces_all_kinds.export_metadata"
  /// The file of that part's entities, in its folder.
  package static let output = "output-0"

  /// Reads the records of an index.
  package init(_ records: [[UInt8]]) {
    var sum: Int?
    for record in records {
      record.withUnsafeBytes { bytes in
        guard let message = try? Message(bytes) else { return }
        for field in message.fields where field.number == 1 {
          guard case .bytes(let bytes) = field.value, let part = try? Message(bytes),
            part.bytes(2) != nil, let count = part.number(3), count < 1 << 50
          else { continue }
          sum = min((sum ?? 0) + Int(count), 1 << 60)
        }
      }
    }
    entities = sum
  }

  /// The bytes of the index of an export with one part.
  package static func index(entities: Int, bytes: Int) -> [UInt8] {
    var record = ProtobufWriter()
    record.message(1) { part in
      part.message(1) { form in
        form.varint(1, 2)
        form.varint(3, 3)
      }
      part.string(2, "\(folder)/\(partIndex)")
      part.varint(3, UInt64(entities))
      part.varint(4, UInt64(bytes))
    }
    var writer = ExportRecordWriter()
    // The emulator's files begin with a record of this byte alone.
    writer.append([0x33])
    writer.append(record.bytes)
    return writer.take()
  }

  /// The bytes of the part's index; times are microseconds since 1970.
  package static func partIndex(name: String, start: Int64, end: Int64) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.message(1) { export in
      export.string(1, name)
      export.int64(2, start)
      export.int64(3, end)
    }
    writer.message(2) { file in
      file.content(1, [])
      file.string(2, output)
    }
    return writer.bytes
  }
}
