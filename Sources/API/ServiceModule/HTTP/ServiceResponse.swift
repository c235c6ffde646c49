import BaseStatus
import HTTPTypes

/// A service's response to an HTTP request.
package struct ServiceResponse: Sendable {
  /// A body that is there, or one that is written at the pace of the client's reading.
  package enum Body: Sendable {
    case bytes([UInt8])
    case stream(@Sendable (inout any ServiceBodyWriter) async throws -> Void)
  }

  /// The method of an API that a request called by another way than gRPC.
  package struct Call: Sendable, Equatable {
    /// As gRPC has it: `/google.firestore.v1.Firestore/Commit`.
    package let path: String
    /// The code with which the call ended.
    package let code: StatusCode

    /// A call of that method, ended with that code.
    package init(path: String, code: StatusCode) {
      self.path = path
      self.code = code
    }
  }

  /// The HTTP status, 200 by default.
  package var status: HTTPResponse.Status
  /// The header fields; the gateway adds those of CORS and of the connection.
  package var headers: HTTPFields
  /// The content, empty by default.
  package var body: Body
  /// Counted with the method's gRPC calls; nil for a request that is not a call of one.
  package var call: Call?

  /// A response of those parts.
  package init(
    status: HTTPResponse.Status = .ok,
    headers: HTTPFields = [:],
    body: Body = .bytes([])
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A JSON response.
  package static func json(
    _ body: [UInt8],
    status: HTTPResponse.Status = .ok
  ) -> ServiceResponse {
    ServiceResponse(
      status: status,
      headers: [.contentType: "application/json; charset=UTF-8"],
      body: .bytes(body)
    )
  }

  /// A text for people and scripts.
  package static func text(
    _ text: String,
    status: HTTPResponse.Status = .ok
  ) -> ServiceResponse {
    ServiceResponse(
      status: status,
      headers: [.contentType: "text/plain; charset=utf-8"],
      body: .bytes(Array(text.utf8))
    )
  }
}

/// The destination of a streamed body.
package protocol ServiceBodyWriter {
  /// Writes the next part; returns when more may follow.
  ///
  /// Throws when the client has gone.
  mutating func write(_ bytes: [UInt8]) async throws

  /// Sends parts of open files, behind what was written; nil where bytes alone can be sent, as over TLS.
  var files: (any ServiceFileWriter)? { get }
}

extension ServiceBodyWriter {
  /// Nil: only bytes can be sent.
  package var files: (any ServiceFileWriter)? { nil }
}

/// Sends parts of open files without reading them into the process.
package protocol ServiceFileWriter: Sendable {
  /// Sends the next part; returns when the system has taken all of it.
  ///
  /// Throws when the client has gone.
  func write(_ part: OpenFilePart) async throws
}

/// A part of an open file that a thread which may block has found in the system's memory, or had read into it.
package struct OpenFilePart: Sendable {
  /// Stays open for as long as there is this value.
  package let descriptor: Int32
  /// The bytes of the file to send, counted from its beginning.
  package let range: Range<Int64>
  /// The object that closes the descriptor.
  private let owner: any AnyObject & Sendable

  /// A part of a file that is open for as long as there is its owner.
  package init(descriptor: Int32, range: Range<Int64>, owner: any AnyObject & Sendable) {
    self.descriptor = descriptor
    self.range = range
    self.owner = owner
  }
}
