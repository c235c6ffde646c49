import Foundation

/// The contents of a log and the records that change them, until these are written.
struct LogEditor: Sendable {
  private(set) var contents = LogContents()
  /// The records that were appended and are not in the file.
  private(set) var bytes = Data()

  /// Appends a record; the contents have it at once.
  mutating func append(_ record: LogRecord) throws {
    let frame = try LogFrame.encoded(record)
    contents.apply(record, size: frame.count)
    bytes += frame
  }

  /// Appends settings with a change, if it is one.
  mutating func change(_ body: (inout AnalyticsSettings) -> Void) throws {
    var settings = contents.settings
    body(&settings)
    if settings != contents.settings { try append(.settings(settings)) }
  }

  /// Appends a context with a change, if it is one.
  mutating func changeContext(_ body: (inout EventContext) -> Void) throws {
    var context = contents.context
    body(&context)
    if context != contents.context { try append(.context(context)) }
  }

  /// Takes the contents of a file.
  mutating func apply(_ record: LogRecord, size: Int) { contents.apply(record, size: size) }

  /// Returns the bytes that are not in the file, which are there from now on.
  mutating func takeBytes() -> Data {
    defer { bytes = Data() }
    return bytes
  }
}
