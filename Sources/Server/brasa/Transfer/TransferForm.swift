import BaseJSON

/// The form of a kind of data in the files of an export: an item is a line of JSON.
///
/// Most services return such lines. Documents come as messages, which are a fraction as large: a
/// line of theirs is made here, outside the server.
struct TransferForm {
  private let kind: String
  /// The line of an item.
  let line: ([UInt8]) throws -> [UInt8]
  /// The item of a line.
  let item: ([UInt8]) throws -> [UInt8]

  /// The form of a kind.
  ///
  /// - Parameter target: The database that references in documents lead to which are imported; nil leaves them.
  init(kind: String, into target: DatabaseLabel? = nil) {
    self.kind = kind
    switch kind {
    case Self.rootKind:
      let references = target.map(ReferenceMove.init)
      line = DocumentJSON.line
      item = { line in try DocumentJSON.message(try references?.moved(line) ?? line) }
    case Self.eventsKind:
      // Their rows are read once, where they are stored.
      line = { $0 }
      item = { $0 }
    default:
      line = { $0 }
      item = { line in
        _ = try JSONParser.parse(line)
        return line
      }
    }
  }

  /// Makes the sink for items of the kind in an export to a directory, which is created.
  func makeSink(_ path: String) throws -> any ExportSink {
    let directory = try ExportDirectory(creating: path)
    return kind == Self.filesKind ? FileSink(directory, path: path) : LineSink(self, directory)
  }

  /// The items of the kind in a directory; nil where there are none and there need not be any.
  ///
  /// - Parameter root: A directory above it or itself; files below it may not be links.
  func makeSource(
    _ path: String,
    below root: String,
    mayBeEmpty: Bool
  ) throws -> (any ImportSource)? {
    guard kind != Self.filesKind else {
      return try FileSource(path, below: root, mayBeEmpty: mayBeEmpty)
    }
    let lines = try ImportLines(directory: path, below: root, mayBeEmpty: mayBeEmpty)
    return lines.isEmpty ? nil : LineSource(self, lines)
  }

  /// The kind whose items are rows of events.
  private static let eventsKind = "events"

  /// The kind whose items are files with bytes.
  static let filesKind = "files"

  /// The kind that every export has; its files are in the directory itself, those of others in folders of
  /// their names.
  static let rootKind = "documents"
}
