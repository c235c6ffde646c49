import BaseStatus
import BaseText
import DocumentCodec
import FirestoreSync

extension FirestoreFailure {
  /// Reads a status: `code` is HTTP's or gRPC's, `status` the name, which goes before.
  init(_ json: inout JSONScanner) throws {
    var number = 0
    var name: String?
    var message = ""
    try json.members { key, json in
      switch key {
      case "code": number = Int(try json.integer())
      case "status": name = try json.string()
      case "message": message = try json.string()
      default: try json.skip()
      }
    }
    let code = name.flatMap { name in StatusCode.allCases.first { $0.name == name } }
    self.init(code ?? StatusCode(rawValue: number) ?? Self.code(httpStatus: number), message)
  }

  /// The code that a response's status means where its body says nothing.
  static func code(httpStatus: Int) -> StatusCode {
    switch httpStatus {
    case 200: .ok
    case 400: .failedPrecondition
    // The same request is as large the next time.
    case 413: .invalidArgument
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .notFound
    case 409: .aborted
    case 429: .resourceExhausted
    case 499: .cancelled
    case 501: .unimplemented
    case 504: .deadlineExceeded
    default: httpStatus >= 500 ? .unavailable : .unknown
    }
  }

  /// The error in a response's body, `{"error": …}` alone or in a list; nil where there is none.
  static func inBody(_ body: some Collection<UInt8>) -> FirestoreFailure? {
    let bytes = Array(body)
    return bytes.withUnsafeBufferPointer { bytes in
      guard isValidUTF8(UnsafeRawBufferPointer(bytes)) else { return nil }
      var json = JSONScanner(bytes)
      do { return try json.error() } catch { return nil }
    }
  }
}

extension JSONScanner {
  /// Reads `{"error": …}`, alone or as the first element of lists; nil for other JSON.
  fileprivate mutating func error() throws -> FirestoreFailure? {
    var found: FirestoreFailure?
    switch next {
    case UInt8(ascii: "["):
      try elements { json in
        let failure = try json.error()
        found = found ?? failure
      }
    case UInt8(ascii: "{"):
      try members { key, json in
        if case "error" = key { found = try FirestoreFailure(&json) } else { try json.skip() }
      }
    default: try skip()
    }
    return found
  }
}
