import BaseJSON
import Foundation

/// A call of a callable function.
public struct CallableFunctionRequest<Input: Decodable & Sendable>: Sendable {
  /// The argument of the call.
  public let data: Input
  /// The calling user; nil for a caller who has not signed in.
  public let auth: CallableFunctionAuth?
  /// The request itself.
  public let rawRequest: HTTPFunctionRequest
}

/// The user who calls a callable function, whose token the host has verified.
public struct CallableFunctionAuth: Sendable {
  /// The user's id.
  public let uid: String
  private let payload: Data

  init?(_ request: HTTPFunctionRequest) {
    struct Subject: Decodable { let sub: String }
    guard let header = request.header("authorization"), header.lowercased().hasPrefix("bearer ")
    else { return nil }
    guard let payload = TokenPayload(header.dropFirst(7))?.json,
      let subject = try? JSONDecoder().decode(Subject.self, from: payload)
    else { return nil }
    uid = subject.sub
    self.payload = payload
  }

  /// The claims of the token, such as `email` and those that the back end has set.
  public func claims<T: Decodable>(as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: payload)
  }
}

/// The parts of a result that a callable function sends before the result itself.
public struct CallableFunctionStream: Sendable {
  let write: (@Sendable (Data) async throws -> Void)?

  /// Sends a part to a client that asked for a stream; does nothing for others.
  public func send(_ part: some Encodable & Sendable) async throws {
    try await write?(
      Data("data: {\"message\":".utf8) + callableEncoded(part) + Data("}\n\n".utf8)
    )
  }
}

extension Function {
  /// A function that apps call with a value and that responds with one.
  public static func onCall<Input: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (CallableFunctionRequest<Input>) async throws -> Output
  ) -> Function {
    onCall(name, options: options) { (request: CallableFunctionRequest<Input>, _) in
      try await handler(request)
    }
  }

  /// A function that apps call with a value and that may send parts of its result as they come.
  public static func onCall<Input: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler:
      @escaping @Sendable (CallableFunctionRequest<Input>, CallableFunctionStream) async throws ->
      Output
  ) -> Function {
    Function(name, "callableTrigger", options: options) { request in
      let origin = [("Access-Control-Allow-Origin", request.header("origin") ?? "*")]
      guard request.method != "OPTIONS" else {
        let asked = request.header("access-control-request-headers") ?? "*"
        return HTTPFunctionResponse(
          status: 204,
          headers: origin + [
            ("Access-Control-Allow-Methods", "POST"), ("Access-Control-Allow-Headers", asked),
          ]
        )
      }
      let call: CallableFunctionRequest<Input>
      do {
        call = try CallableFunctionRequest(calling: request)
      } catch {
        return callableRefusal(error, origin)
      }
      guard request.header("accept") == "text/event-stream" else {
        do {
          let result = try await handler(call, CallableFunctionStream(write: nil))
          return HTTPFunctionResponse(
            headers: origin + [("Content-Type", "application/json; charset=utf-8")],
            body: Data("{\"result\":".utf8) + (try callableEncoded(result)) + Data("}".utf8)
          )
        } catch {
          return callableRefusal(error, origin)
        }
      }
      return HTTPFunctionResponse(headers: origin + [("Content-Type", "text/event-stream")]) {
        write in
        let end: Data
        do {
          let result = try await handler(call, CallableFunctionStream(write: write))
          end = Data("{\"result\":".utf8) + (try callableEncoded(result)) + Data("}".utf8)
        } catch {
          end = callableError(error).body
        }
        try await write(Data("data: ".utf8) + end + Data("\n\n".utf8))
      }
    }
  }
}

extension CallableFunctionRequest {
  /// Reads a request in the protocol of callable functions; throws INVALID_ARGUMENT.
  fileprivate init(calling request: HTTPFunctionRequest) throws {
    guard request.method == "POST", let body = try? JSONParser.parse(Array(request.body)),
      let members = body.members, members.count == 1, let data = body["data"]
    else { throw FunctionError(.invalidArgument, "Bad Request") }
    do {
      // In an array, since a value alone need not be a document of JSON.
      let bytes = JSONValue.array([data.withPlainIntegers]).compactBytes
      self.data = try JSONDecoder().decode([Input].self, from: Data(bytes))[0]
    } catch {
      throw FunctionError(
        .invalidArgument,
        "The data does not have the type that the function expects."
      )
    }
    auth = CallableFunctionAuth(request)
    rawRequest = request
  }
}

extension JSONValue {
  /// The value with numbers where clients of 64 bits send objects that hold a text.
  fileprivate var withPlainIntegers: JSONValue {
    switch self {
    case .object(let members):
      let type = self["@type"]?.string ?? ""
      if type.hasSuffix("google.protobuf.Int64Value")
        || type.hasSuffix("google.protobuf.UInt64Value"),
        let digits = self["value"]?.string, Int64(digits) != nil || UInt64(digits) != nil
      {
        return .number(digits)
      }
      return .object(members.map { .init($0.key, $0.value.withPlainIntegers) })
    case .array(let elements): return .array(elements.map(\.withPlainIntegers))
    default: return self
    }
  }
}

private func callableEncoded(_ value: some Encodable) throws -> Data {
  let encoded = try JSONEncoder().encode([value])
  return encoded.dropFirst().dropLast()
}

/// The error of a call, and its body; any error but a `FunctionError` is only logged.
func callableError(_ error: any Error) -> (status: Int, body: Data) {
  let told: FunctionError
  if let known = error as? FunctionError {
    told = known
  } else {
    FunctionServer.report(error)
    told = FunctionError(.internalError, "INTERNAL")
  }
  var members: [JSONValue.Member] = [
    .init("status", .string(told.code.rawValue)), .init("message", .string(told.message)),
  ]
  if let details = told.details, let bytes = try? callableEncoded(details),
    let value = try? JSONParser.parse(Array(bytes))
  {
    members.append(.init("details", value))
  }
  let body = JSONValue.object([.init("error", .object(members))])
  return (told.code.status, Data(body.compactBytes))
}

private func callableRefusal(
  _ error: any Error,
  _ origin: [(String, String)]
) -> HTTPFunctionResponse {
  let (status, body) = callableError(error)
  return HTTPFunctionResponse(
    status: status,
    headers: origin + [("Content-Type", "application/json; charset=utf-8")],
    body: body
  )
}
