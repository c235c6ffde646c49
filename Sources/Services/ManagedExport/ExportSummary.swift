/// The index of a managed export: its `*.overall_export_metadata`, which is a file of records too.
package struct ExportSummary {
  /// Entities in all files; nil where the index does not say.
  package let entities: Int?

  /// Reads the records of an index.
  package init(_ records: [[UInt8]]) {
    var sum: Int?
    for record in records {
      guard let message = try? Message(record[...]) else { continue }
      for field in message.fields where field.number == 1 {
        guard case .bytes(let bytes) = field.value, let part = try? Message(bytes),
          part.bytes(2) != nil, let count = part.number(3), count < 1 << 50
        else { continue }
        sum = (sum ?? 0) + Int(count)
      }
    }
    entities = sum
  }
}
