import Authentication
import BaseJSON
import BaseStatus
import BaseText
import Dispatch
import Foundation
import FunctionHost
import Synchronization

/// Has blocking functions decide about sign-ups and sign-ins, and refuses where they can't.
package struct BlockingCalls: SignInGate {
  /// Seconds that a function has, as at Google.
  package static let seconds = 7

  private let host: FunctionHost
  private let now: @Sendable () -> Double

  /// Decides by the functions of a host.
  package init(_ host: FunctionHost, now: @escaping @Sendable () -> Double) {
    self.host = host
    self.now = now
  }

  /// The steps for which the project has a function.
  package func guardedSteps(of project: Text) -> Set<SignInStep> {
    Self.steps(host.blockingTypes(of: project.string))
  }

  static func steps(_ types: Set<String>) -> Set<SignInStep> {
    guard !types.isEmpty else { return [] }
    var steps: Set<SignInStep> = []
    for step in [SignInStep.beforeCreate, .beforeSignIn] where types.contains(eventType(step)) {
      steps.insert(step)
    }
    return steps
  }

  private static func eventType(_ step: SignInStep) -> String {
    "providers/cloud.auth/eventTypes/user.\(step.rawValue)"
  }

  /// Calls the function of a step, and reads its response.
  package func decide(
    _ step: SignInStep,
    user: User,
    signIn: SignInFacts,
    project: Text
  ) throws(AccountError) -> SignInDecision {
    let done = Done()
    let token = token(step, user, signIn, project.string)
    Task { [host] in
      done.set(await Self.call(host, step, token, project.string))
    }
    switch done.wait() {
    case .responded(let status, let body) where status == 200:
      return try Self.decision(body)
    case .responded(let status, let body):
      let text = String(decoding: body.prefix(4_096), as: UTF8.self)
      throw Self.refusal("HTTP request to URL returned HTTP error \(status): \(text)")
    case .timedOut: throw Self.refusal("Deadline exceeded making request to URL.")
    case .failed, .absent: throw Self.refusal("Failed to make request to URL.")
    }
  }

  static func refusal(_ text: String) -> AccountError {
    AccountError(.blockingFunction, "((\(text)))")
  }

  private static func call(
    _ host: FunctionHost,
    _ step: SignInStep,
    _ token: String,
    _ project: String
  ) async -> InvocationOutcome {
    guard
      let (function, _) = await host.blockingFunction(
        project: project,
        eventType: eventType(step)
      )
    else { return .absent }
    var request = InvocationRequest()
    request.timeoutSeconds = seconds
    request.headers = [("content-type", "application/json")]
    request.body = JSONValue.object(["data": .object(["jwt": .string(token)])]).compactBytes
    return await host.invoke(function, request)
  }

  // MARK: The event

  /// The event as a token without signature: Google's SDKs verify none where they have an emulator's address, and the
  /// instance takes requests of the host alone.
  private func token(
    _ step: SignInStep,
    _ user: User,
    _ signIn: SignInFacts,
    _ project: String
  ) -> String {
    let time = Int64(now())
    let uid = user.uid.string
    let claims = JSONValue.object([
      "iss": .string("https://securetoken.google.com/\(project)"),
      "aud": .string("https://us-central1-\(project).cloudfunctions.net/\(step.rawValue).run.app"),
      "sub": .string(uid), "iat": .integer(time), "exp": .integer(time + 60),
      "event_id": .string(UUID().uuidString.lowercased()),
      "event_type": .string(step.rawValue),
      "sign_in_method": .string(signIn.provider.string),
      "ip_address": .string(""), "user_agent": .string(""), "locale": .string("und"),
      "user_record": Self.record(user),
    ])
    let head = Base64.url(Array("{\"alg\":\"none\",\"typ\":\"JWT\"}".utf8))
    return "\(head).\(Base64.url(claims.compactBytes))."
  }

  private static func record(_ user: User) -> JSONValue {
    var members: [JSONValue.Member] = [.init("uid", .string(user.uid.string))]
    func put(_ name: String, _ text: String?) {
      if let text { members.append(.init(name, .string(text))) }
    }
    put("email", user.email?.text.string)
    put("display_name", user.displayName)
    put("photo_url", user.photoURL)
    put("phone_number", user.phoneNumber?.text.string)
    members.append(.init("email_verified", .boolean(user.isEmailVerified)))
    members.append(.init("disabled", .boolean(user.isDisabled)))
    if let claims = user.customClaims.flatMap({ try? JSONValue(parsing: $0) }) {
      members.append(.init("custom_claims", claims))
    }
    var times: [JSONValue.Member] = [.init("creation_time", .integer(user.createdAt))]
    if let last = user.lastSignInAt { times.append(.init("last_sign_in_time", .integer(last))) }
    members.append(.init("metadata", .object(times)))
    members.append(.init("provider_data", .array(providers(of: user))))
    members.append(.init("tokens_valid_after_time", .integer(user.validSince)))
    return .object(members)
  }

  private static func providers(of user: User) -> [JSONValue] {
    var providers = user.providers.map { provider in
      var members: [JSONValue.Member] = [
        .init("provider_id", .string(provider.providerID.string)),
        .init("uid", .string(provider.rawID.string)),
      ]
      for (name, text) in [
        ("email", provider.email), ("display_name", provider.displayName),
        ("photo_url", provider.photoURL),
      ] {
        if let text { members.append(.init(name, .string(text))) }
      }
      return JSONValue.object(members)
    }
    if user.password != nil, let email = user.email?.text.string {
      providers.append(
        .object([
          "provider_id": .string("password"), "uid": .string(email), "email": .string(email),
        ])
      )
    }
    return providers
  }

  // MARK: The response

  static func decision(_ body: [UInt8]) throws(AccountError) -> SignInDecision {
    guard let response = try? JSONParser.parse(body, maximumDepth: 32), response.members != nil
    else {
      throw refusal("Response body is not valid JSON.")
    }
    guard let record = response["userRecord"] else { return SignInDecision() }
    guard let mask = record["updateMask"]?.string else {
      throw refusal("Response UserRecord is missing updateMask.")
    }
    let fields = Set(mask.split(separator: ",").map { String($0.filter { $0 != " " }) })
    var decision = SignInDecision()
    if fields.contains("displayName") { decision.displayName = record["displayName"]?.string }
    if fields.contains("photoURL") || fields.contains("photoUrl") {
      decision.photoURL = record["photoURL"]?.string ?? record["photoUrl"]?.string
    }
    if fields.contains("disabled") { decision.isDisabled = record["disabled"]?.boolean }
    if fields.contains("emailVerified") {
      decision.isEmailVerified = record["emailVerified"]?.boolean
    }
    if fields.contains("customClaims") {
      decision.customClaims = try claims(record["customClaims"])
    }
    if fields.contains("sessionClaims") {
      decision.sessionClaims = try claims(record["sessionClaims"])
    }
    return decision
  }

  private static func claims(_ value: JSONValue?) throws(AccountError) -> String? {
    guard let value, value.members != nil else { return nil }
    do {
      return try CustomClaims.check(value.compact)
    } catch {
      throw refusal("The claims of the response are not valid: \(error.message)")
    }
  }
}

/// Refuses the steps that deployed functions decide about, on a server that serves no functions.
package struct ClosedSignInGate: SignInGate {
  private let types: [String: Set<String>]

  /// A gate for projects that have blocking functions of those types.
  package init(_ types: [String: Set<String>]) { self.types = types }

  /// The steps for which the project has a function.
  package func guardedSteps(of project: Text) -> Set<SignInStep> {
    BlockingCalls.steps(types[project.string] ?? [])
  }

  /// Throws: there is no one to decide.
  package func decide(
    _ step: SignInStep,
    user: User,
    signIn: SignInFacts,
    project: Text
  ) throws(AccountError) -> SignInDecision {
    throw BlockingCalls.refusal("Failed to make request to URL.")
  }
}

/// The outcome of a call that a thread waits for.
private final class Done: Sendable {
  private let outcome = Mutex<InvocationOutcome?>(nil)
  private let signal = DispatchSemaphore(value: 0)

  func set(_ value: InvocationOutcome) {
    outcome.withLock { $0 = value }
    signal.signal()
  }

  func wait() -> InvocationOutcome {
    // The call ends by itself at its limit; a second more covers a host that doesn't.
    guard signal.wait(timeout: .now() + .seconds(BlockingCalls.seconds + 1)) == .success else {
      return .timedOut
    }
    return outcome.withLock { $0 } ?? .timedOut
  }
}
