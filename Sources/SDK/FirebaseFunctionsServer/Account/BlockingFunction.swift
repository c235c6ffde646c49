import BaseJSON
import Foundation

/// A sign-up or sign-in that a function decides about.
public struct AuthBlockingEvent: Sendable {
  /// The id of the event.
  public let id: String
  /// The time of the sign-up or sign-in.
  public let time: Date
  /// The way of the sign-in, such as `password` or `google.com`.
  public let signInMethod: String
  /// The account, which is not kept yet where it is being made.
  public let user: AuthUserRecord
}

/// The changes of a function to a new account; nil members stay.
public struct BeforeCreateResponse: Sendable {
  /// The name that the user shows.
  public var displayName: String?
  /// The address of the user's picture.
  public var photoURL: String?
  /// True makes an account that can't sign in.
  public var isDisabled: Bool?
  /// True takes the address as verified.
  public var isEmailVerified: Bool?
  /// The claims of the account, an object in JSON.
  public var customClaims: (any Encodable & Sendable)?

  /// No changes.
  public init() {}
}

/// The changes of a function at a sign-in; nil members stay.
public struct BeforeSignInResponse: Sendable {
  /// The changes of the account.
  public var account = BeforeCreateResponse()
  /// The claims of this session's tokens, an object in JSON.
  public var sessionClaims: (any Encodable & Sendable)?

  /// No changes.
  public init() {}
}

extension Function {
  /// A function that decides about an account before it is made.
  ///
  /// It has 7 seconds. A ``FunctionError`` refuses the sign-up and reaches the app; any other error refuses it as well.
  /// A project has one such function.
  ///
  /// - Parameter handler: Returns changes of the account, or nil.
  public static func beforeUserCreated(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (AuthBlockingEvent) async throws -> BeforeCreateResponse?
  ) -> Function {
    blockingFunction(name, "beforeCreate", options) { event in
      try await handler(event)?.members ?? []
    }
  }

  /// A function that decides about a sign-in before the app gets its tokens, also about the one behind a sign-up.
  ///
  /// It has 7 seconds. A ``FunctionError`` refuses the sign-in and reaches the app; any other error refuses it as well.
  /// A project has one such function.
  ///
  /// - Parameter handler: Returns changes of the account and claims of the session, or nil.
  public static func beforeUserSignedIn(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (AuthBlockingEvent) async throws -> BeforeSignInResponse?
  ) -> Function {
    blockingFunction(name, "beforeSignIn", options) { event in
      guard let response = try await handler(event) else { return [] }
      var members = try response.account.members
      if let claims = response.sessionClaims {
        members.append(.init("sessionClaims", try claimsJSON(claims)))
      }
      return members
    }
  }
}

private func blockingFunction(
  _ name: String,
  _ step: String,
  _ options: FunctionOptions,
  _ decide: @escaping @Sendable (AuthBlockingEvent) async throws -> [JSONValue.Member]
) -> Function {
  let content: [JSONValue.Member] = [
    .init("eventType", .string("providers/cloud.auth/eventTypes/user.\(step)")),
    .init("options", .object([JSONValue.Member]())),
  ]
  return Function(name, "blockingTrigger", content, options: options) { request in
    do {
      var members = try await decide(AuthBlockingEvent(request))
      guard !members.isEmpty else { return blockingResponse([]) }
      let mask = members.map(\.key).joined(separator: ",")
      members.append(.init("updateMask", .string(mask)))
      return blockingResponse([.init("userRecord", .object(members))])
    } catch {
      let (status, body) = callableError(error)
      return HTTPFunctionResponse(
        status: status,
        headers: [("Content-Type", "application/json; charset=utf-8")],
        body: body
      )
    }
  }
}

private func blockingResponse(_ members: [JSONValue.Member]) -> HTTPFunctionResponse {
  HTTPFunctionResponse(
    headers: [("Content-Type", "application/json; charset=utf-8")],
    body: Data(JSONValue.object(members).compactBytes)
  )
}

/// Claims as JSON; throws INTERNAL for any value that is not an object.
private func claimsJSON(_ claims: any Encodable & Sendable) throws -> JSONValue {
  let value = try JSONParser.parse(Array(JSONEncoder().encode(claims)))
  guard value.members != nil else {
    throw FunctionError(.internalError, "Claims must be an object.")
  }
  return value
}

extension BeforeCreateResponse {
  /// The fields that change.
  fileprivate var members: [JSONValue.Member] {
    get throws {
      var members: [JSONValue.Member] = []
      if let displayName { members.append(.init("displayName", .string(displayName))) }
      if let photoURL { members.append(.init("photoURL", .string(photoURL))) }
      if let isDisabled { members.append(.init("disabled", .boolean(isDisabled))) }
      if let isEmailVerified { members.append(.init("emailVerified", .boolean(isEmailVerified))) }
      if let customClaims { members.append(.init("customClaims", try claimsJSON(customClaims))) }
      return members
    }
  }
}

extension AuthBlockingEvent {
  /// Reads the token of a call, which the host makes; the listener takes calls of the host alone.
  fileprivate init(_ request: HTTPFunctionRequest) throws {
    guard let body = try? JSONParser.parse(Array(request.body)),
      let token = body["data"]?["jwt"]?.string, let payload = TokenPayload(token[...]),
      let claims = try? JSONParser.parse(Array(payload.json)), let record = claims["user_record"]
    else { throw FunctionError(.invalidArgument, "The request is not a sign-in.") }
    id = claims["event_id"]?.string ?? ""
    time = Date(timeIntervalSince1970: Double(claims["iat"]?.integer ?? 0))
    signInMethod = claims["sign_in_method"]?.string ?? ""
    user = try AuthUserRecord(claims: record)
  }
}
