import KeyValueStore

/// The answer to a statement; its bytes are lent for as long as it lives.
final class PostgresResult {
  private let library: PostgresLibrary
  private let handle: OpaquePointer
  let rowCount: Int

  /// Takes the library's result over.
  init(_ library: PostgresLibrary, _ handle: OpaquePointer) {
    self.library = library
    self.handle = handle
    rowCount = Int(library.rowCount(handle))
  }

  deinit { library.clear(handle) }

  /// True if the statement was carried out.
  var isSuccess: Bool {
    let status = library.resultStatus(handle)
    return status == Self.commandDone || status == Self.rowsDone
  }

  /// The command that the server says it ran, `COMMIT` for example.
  var commandTag: String { library.commandTag(handle).map { String(cString: $0) } ?? "" }

  /// SQL's code of an error: five characters, empty where the server did not name one.
  var errorCode: String { field("C") }

  var errorMessage: String { field("M") }

  /// A value as the server sent it; no bytes for NULL.
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: library.value(handle, CInt(row), CInt(column)),
      count: Int(library.length(handle, CInt(row), CInt(column)))
    )
  }

  /// A whole number that was asked for in text form.
  func number(_ row: Int, _ column: Int) throws -> Int64 {
    guard row < rowCount, let number = Int64(String(decoding: bytes(row, column), as: UTF8.self))
    else { throw KeyValueError(.corruption, "PostgreSQL returned no number where one is required") }
    return number
  }

  private func field(_ name: Unicode.Scalar) -> String {
    library.resultField(handle, CInt(name.value)).map { String(cString: $0) } ?? ""
  }

  private static let commandDone: CInt = 1
  private static let rowsDone: CInt = 2
}
