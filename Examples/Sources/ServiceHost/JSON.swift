import Foundation
import Hummingbird
import NIOCore
import NIOFoundationCompat

extension Request {
  /// The largest JSON body that a service reads; a longer one is answered with 413.
  package static let largestJSONBody = 64 * 1024

  /// Reads the body as JSON of type `Value`; anything else is a 400 that names the field.
  ///
  /// A text with U+0000 is refused too: SQLite would compare and store the part before it.
  package func json<Value: Decodable>(_ type: Value.Type = Value.self) async throws -> Value {
    let bytes = Data(buffer: try await collectedBody())
    guard !bytes.escapesNUL else { throw ServiceError.textWithNUL }
    do {
      return try JSONDecoder().decode(Value.self, from: bytes)
    } catch let error as DecodingError {
      throw ServiceError(.badRequest, error.sentence)
    }
  }

  /// Reads the body as `application/x-www-form-urlencoded`; of a repeated name the last counts.
  package func form() async throws -> [String: String] {
    let text = String(buffer: try await collectedBody())
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = halves.first?.formDecoded,
        let value = (halves.count == 2 ? halves[1] : "").formDecoded
      else { throw ServiceError(.badRequest, "O formulário não está bem codificado") }
      guard !value.contains("\0") else { throw ServiceError.textWithNUL }
      fields[name] = value
    }
    return fields
  }

  /// The body; one that ends early or is badly framed is the client's fault.
  private func collectedBody() async throws -> ByteBuffer {
    do {
      return try await body.collect(upTo: Self.largestJSONBody)
    } catch let error where error is NIOTooManyBytesError || error is HTTPError {
      throw error
    } catch {
      throw ServiceError(.badRequest, "O corpo não chegou inteiro")
    }
  }
}

extension Data {
  /// True for a JSON text with the escape of U+0000; without an escape the character is no JSON.
  fileprivate var escapesNUL: Bool {
    var rest = self[...]
    while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      let escape = rest[backslash...].dropFirst()
      if escape.starts(with: "u0000".utf8) { return true }
      rest = escape.dropFirst()
    }
    return false
  }
}

extension Substring {
  fileprivate var formDecoded: String? {
    replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }
}

extension Response {
  package static func json(
    _ value: some Encodable,
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = ByteBuffer(data: try encoder.encode(value))
    return Response(
      status: status,
      headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: body)
    )
  }

  package static func text(
    _ text: String,
    type: String = "text/plain; charset=utf-8",
    status: HTTPResponse.Status = .ok
  ) -> Response {
    Response(
      status: status,
      headers: [.contentType: type],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}

extension DecodingError {
  fileprivate var sentence: String {
    switch self {
    case .keyNotFound(let key, let context):
      "Campo obrigatório ausente: \(Self.name(context.codingPath + [key]))"
    case .valueNotFound(_, let context), .typeMismatch(_, let context):
      context.codingPath.isEmpty
        ? "O corpo não tem o formato esperado"
        : "Campo com tipo inválido: \(Self.name(context.codingPath))"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "Campo inválido: \(Self.name(context.codingPath))"
    default: "O corpo não é um JSON válido"
    }
  }

  private static func name(_ path: [any CodingKey]) -> String {
    path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
