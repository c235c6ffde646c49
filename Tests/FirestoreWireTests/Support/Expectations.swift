import BaseStatus
import Testing

/// Expects a body to be refused with that code and text.
func expectError(
  _ message: String,
  code: StatusCode = .invalidArgument,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> some Any
) {
  do {
    let result = try body()
    Issue.record("not refused: \(result)", sourceLocation: sourceLocation)
  } catch let error as ServiceError {
    #expect(error.code == code, sourceLocation: sourceLocation)
    #expect(error.message == message, sourceLocation: sourceLocation)
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
}

/// JSON text as a string.
func string(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
