import BaseJSON
import Foundation
import Testing

@testable import FirebaseFunctionsServer

/// Functions of accounts, sign-ins and key events, without a host.
@Suite struct AccountFunctionTests {
  private static func request(_ body: JSONValue) -> HTTPFunctionRequest {
    HTTPFunctionRequest(
      method: "POST",
      path: "/",
      query: "",
      headers: [("Content-Type", "application/json")],
      body: Data(body.compactBytes)
    )
  }

  private static func body(_ response: HTTPFunctionResponse) -> String {
    guard case .bytes(let data) = response.body else { return "a stream" }
    return String(decoding: data, as: UTF8.self)
  }

  /// A sign-in as the host sends it.
  private static func signIn(email: String) throws -> HTTPFunctionRequest {
    let claims = """
      {"event_id":"e1","event_type":"beforeCreate","sign_in_method":"password","iat":1000,"user_record":{"uid":"ana",\
      "email":"\(email)","email_verified":true,"display_name":"Ana","custom_claims":{"plan":"gold"},\
      "metadata":{"creation_time":1500},"provider_data":[{"provider_id":"password","uid":"a","email":"\(email)"}]}}
      """
    let payload = Data(claims.utf8).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
    return request(.object([.init("data", .object([.init("jwt", .string("e30.\(payload)."))]))]))
  }

  @Test func `a sign-up is decided about by the account`() async throws {
    let function = Function.beforeUserCreated("f") { event in
      #expect(event.id == "e1" && event.signInMethod == "password")
      #expect(event.time == Date(timeIntervalSince1970: 1_000))
      #expect(event.user.uid == "ana" && event.user.isEmailVerified)
      #expect(event.user.creationTime == Date(timeIntervalSince1970: 1.5))
      #expect(event.user.providers.map(\.providerID) == ["password"])
      #expect(try event.user.customClaims(as: [String: String].self) == ["plan": "gold"])
      guard event.user.email != "eve@evil.example" else {
        throw FunctionError(.permissionDenied, "no evil")
      }
      guard event.user.email != "same@example.com" else { return nil }
      var response = BeforeCreateResponse()
      response.displayName = "Named"
      response.isDisabled = false
      response.customClaims = ["plan": "trial"]
      return response
    }
    let changed = try await function.respond(Self.signIn(email: "ana@example.com"))
    #expect(changed.status == 200)
    #expect(
      Self.body(changed) == """
        {"userRecord":{"displayName":"Named","disabled":false,"customClaims":{"plan":"trial"},\
        "updateMask":"displayName,disabled,customClaims"}}
        """
    )
    #expect(Self.body(try await function.respond(Self.signIn(email: "same@example.com"))) == "{}")
    let refused = try await function.respond(Self.signIn(email: "eve@evil.example"))
    #expect(refused.status == 403)
    #expect(
      Self.body(refused)
        == "{\"error\":{\"status\":\"PERMISSION_DENIED\",\"message\":\"no evil\"}}"
    )
    let other = Self.request(.object([.init("data", .object([.init("jwt", .string("none"))]))]))
    #expect(try await function.respond(other).status == 400)
  }

  @Test func `claims that are no object refuse the sign-in`() async throws {
    let function = Function.beforeUserSignedIn("f") { event in
      var response = BeforeSignInResponse()
      response.sessionClaims = event.user.email == "list@example.com" ? ["a"] : ["a": "b"]
      return response
    }
    let refused = try await function.respond(Self.signIn(email: "list@example.com"))
    #expect(refused.status == 500)
    let changed = try await function.respond(Self.signIn(email: "ana@example.com"))
    #expect(
      Self.body(changed)
        == "{\"userRecord\":{\"sessionClaims\":{\"a\":\"b\"},\"updateMask\":\"sessionClaims\"}}"
    )
  }

  @Test func `an account and a key event are read`() async throws {
    let created = Function.onUserCreated("f") { event in
      #expect(event.id == "u-1" && event.type.hasSuffix("user.create"))
      #expect(event.data.email == "ana@example.com" && event.data.displayName == "Ana")
      #expect(event.data.creationTime == Date(timeIntervalSince1970: 1_000))
    }
    let account = try JSONParser.parse(
      Array(
        """
        {"context":{"eventId":"u-1","timestamp":"1970-01-01T00:16:40.000000Z",\
        "eventType":"providers/firebase.auth/eventTypes/user.create","resource":"projects/p"},\
        "data":{"uid":"ana","email":"ana@example.com","displayName":"Ana",\
        "metadata":{"createdAt":"1970-01-01T00:16:40Z"},"providerData":[]}}
        """.utf8
      )
    )
    #expect(try await created.respond(Self.request(account)).status == 204)
    let bought = Function.onKeyEvent("f", event: "purchase") { event in
      #expect(event.subject == "events/purchase")
      #expect(
        event.data.params == ["value": .double(9.5), "count": .integer(3), "of": .string("t")]
      )
      #expect(event.data.valueInUSD == 9.5 && event.data.appInstanceID == "c1")
      #expect(event.data.userProperties == ["plan": "gold"] && event.data.userID == nil)
    }
    var request = Self.request(
      try JSONParser.parse(
        Array(
          """
          {"eventDim":[{"name":"purchase","timestampMicros":"1000000","valueInUsd":9.5,"params":{"value":\
          {"doubleValue":9.5},"count":{"intValue":"3"},"of":{"stringValue":"t"}}}],"userDim":{"appInfo":\
          {"appInstanceId":"c1"},"userProperties":{"plan":{"value":{"stringValue":"gold"}}}}}
          """.utf8
        )
      )
    )
    request.headers += [
      ("ce-id", "1"), ("ce-type", "google.firebase.analytics.log.v1.written"),
      ("ce-subject", "events/purchase"), ("ce-time", "2026-11-28T23:30:45.5Z"),
    ]
    #expect(try await bought.respond(request).status == 204)
    // Another body fails the delivery.
    request.body = Data("{}".utf8)
    await #expect(throws: FunctionError.self) { try await bought.respond(request) }
  }
}
