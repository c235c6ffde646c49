import BaseJSON
import Foundation

/// An account in an event or a sign-in.
public struct AuthUserRecord: Sendable {
  /// The user's id.
  public let uid: String
  /// The email address.
  public let email: String?
  /// True where the address was verified.
  public let isEmailVerified: Bool
  /// The name that the user shows.
  public let displayName: String?
  /// The address of the user's picture.
  public let photoURL: String?
  /// The telephone number.
  public let phoneNumber: String?
  /// True for an account that can't sign in.
  public let isDisabled: Bool
  /// The time at which the account was made.
  public let creationTime: Date?
  /// The time of the last sign-in before this one.
  public let lastSignInTime: Date?
  /// The ways in which the user signs in.
  public let providers: [AuthUserProvider]
  private let claims: Data?

  /// The claims that a back end has set; nil where it set none.
  public func customClaims<T: Decodable>(as type: T.Type) throws -> T? {
    try claims.map { try JSONDecoder().decode(type, from: $0) }
  }
}

/// A way in which a user signs in.
public struct AuthUserProvider: Sendable {
  /// The provider, such as `password` or `google.com`.
  public let providerID: String
  /// The user's id at the provider.
  public let uid: String
  /// The email address at the provider.
  public let email: String?
  /// The name at the provider.
  public let displayName: String?
}

extension AuthUserRecord {
  /// The account of an event, as the first generation has it.
  init(event json: JSONValue) throws {
    try self.init(json, names: .event)
  }

  /// The account of a sign-in, as a token's claims have it.
  init(claims json: JSONValue) throws {
    try self.init(json, names: .claims)
  }

  /// The names that differ between the two forms.
  private struct Names {
    let displayName, photoURL, phoneNumber, emailVerified, customClaims, providers,
      providerID: String
    let created, signedIn: String

    static let event = Names(
      displayName: "displayName",
      photoURL: "photoURL",
      phoneNumber: "phoneNumber",
      emailVerified: "emailVerified",
      customClaims: "customClaims",
      providers: "providerData",
      providerID: "providerId",
      created: "createdAt",
      signedIn: "lastSignedInAt"
    )
    static let claims = Names(
      displayName: "display_name",
      photoURL: "photo_url",
      phoneNumber: "phone_number",
      emailVerified: "email_verified",
      customClaims: "custom_claims",
      providers: "provider_data",
      providerID: "provider_id",
      created: "creation_time",
      signedIn: "last_sign_in_time"
    )
  }

  private init(_ json: JSONValue, names: Names) throws {
    guard let uid = json["uid"]?.string else {
      throw FunctionError(.invalidArgument, "The event has no account.")
    }
    self.uid = uid
    email = json["email"]?.string
    isEmailVerified = json[names.emailVerified]?.boolean ?? false
    displayName = json[names.displayName]?.string
    photoURL = json[names.photoURL]?.string
    phoneNumber = json[names.phoneNumber]?.string
    isDisabled = json["disabled"]?.boolean ?? false
    creationTime = Self.time(json["metadata"]?[names.created])
    lastSignInTime = Self.time(json["metadata"]?[names.signedIn])
    claims = json[names.customClaims].map { Data($0.compactBytes) }
    providers = (json[names.providers]?.elements ?? []).map { provider in
      AuthUserProvider(
        providerID: provider[names.providerID]?.string ?? "",
        uid: provider["uid"]?.string ?? "",
        email: provider["email"]?.string,
        displayName: provider[names.displayName]?.string
      )
    }
  }

  /// A time in milliseconds, or as text.
  private static func time(_ value: JSONValue?) -> Date? {
    switch value {
    case .number(let digits): Double(digits).map { Date(timeIntervalSince1970: $0 / 1_000) }
    case .string(let text): CloudEvent.time(text)
    default: nil
    }
  }
}

extension Function {
  /// A function that runs when an account is made: by a sign-up, by a provider or by an administrator.
  public static func onUserCreated(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<AuthUserRecord>) async throws -> Void
  ) -> Function {
    accountFunction(name, "create", options, handler)
  }

  /// A function that runs when an account is deleted.
  public static func onUserDeleted(
    _ name: String,
    options: FunctionOptions = FunctionOptions(),
    _ handler: @escaping @Sendable (FunctionEvent<AuthUserRecord>) async throws -> Void
  ) -> Function {
    accountFunction(name, "delete", options, handler)
  }
}

private func accountFunction(
  _ name: String,
  _ change: String,
  _ options: FunctionOptions,
  _ handler: @escaping @Sendable (FunctionEvent<AuthUserRecord>) async throws -> Void
) -> Function {
  eventFunction(
    name,
    "providers/firebase.auth/eventTypes/user.\(change)",
    [:],
    options,
    decode: { try AuthUserRecord(event: JSONParser.parse(Array($0))) },
    handler
  )
}
