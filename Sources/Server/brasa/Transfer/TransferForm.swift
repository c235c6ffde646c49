/// How a kind of data is written in the files of an export: an item is a line of JSON.
///
/// Most services hand out such lines. Documents come as messages, which are a fraction as large: a line of theirs
/// is made here, outside the server.
struct TransferForm {
  /// The line of an item.
  let line: ([UInt8]) throws -> [UInt8]
  /// The item of a line.
  let item: ([UInt8]) throws -> [UInt8]

  /// The form of a kind.
  init(kind: String) {
    if kind == Self.rootKind {
      line = DocumentJSON.line
      item = DocumentJSON.message
    } else {
      line = { $0 }
      item = { $0 }
    }
  }

  /// The kind that every export has; its files are in the directory itself, those of others in folders of
  /// their names.
  static let rootKind = "documents"
}
