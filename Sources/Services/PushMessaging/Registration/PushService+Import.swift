import BaseText
import KeyValueStore

// Taking over device tokens of Apple's, as an operator has them from another service.

extension PushService {
  /// The outcome of a device token's import.
  package enum Imported: Sendable, Equatable {
    /// The registration token by which it is sent to.
    case token(String)
    /// The app has registered with us itself, and only it knows its token.
    case known
    /// It is no device token, or there is no room for it.
    case refused(MessagingError.Code)
  }

  /// The platform of registrations that were imported.
  private static let importedPlatform = "imported"

  /// Makes a registration for each device token of an app; the results are in their order.
  ///
  /// One that was imported before gets a new token. The registration ends when the app registers itself.
  package func importTokens(
    _ tokens: [String],
    bundle: String,
    environment: PushAddress.Environment,
    into project: Text
  ) async throws -> [Imported] {
    let made = tokens.map { _ in installationID() }
    var results: [Imported] = []
    for (token, installation) in zip(tokens, made) {
      let address = PushAddress.apns(
        token: token.lowercased(),
        environment: environment,
        bundle: bundle
      )
      results.append(try await importToken(address, bundle, installation, into: project))
    }
    return results
  }

  private func importToken(
    _ address: PushAddress,
    _ bundle: String,
    _ installation: String,
    into project: Text
  ) async throws -> Imported {
    guard case .apns(let token, _, _) = address, PushAddress.isDeviceToken(token) else {
      return .refused(.invalidArgument)
    }
    let known = try await read { try Self.registration(at: address, project, $0) }
    if let known, known.details.platform != Self.importedPlatform { return .known }
    var request = RegistrationRequest(
      project: project,
      installation: known?.installation ?? installation,
      appID: bundle,
      address: address
    )
    request.details.platform = Self.importedPlatform
    do {
      return .token(try await register(request))
    } catch let error as MessagingError where error.code == .quotaExceeded {
      return .refused(error.code)
    }
  }

  private static func registration(
    at address: PushAddress,
    _ project: Text,
    _ reader: any KeyValueReader
  ) throws -> Registration? {
    guard let key = addressKey(project, address),
      let number = try reader.get(key).map({ try NumberValue.decode($0) })
    else { return nil }
    return try Registration.read(project, number, reader)
  }

  /// An id of the form that installations have: 22 characters, of which the first is one of c to f.
  private func installationID() -> String {
    let bytes = random(17)
    let first = Array("cdef")[Int(bytes[0]) % 4]
    return String(first) + Base64.url(bytes.dropFirst()).prefix(21)
  }
}

extension PushAddress {
  /// Returns true if a text could be a device token of Apple's.
  package static func isDeviceToken(_ text: String) -> Bool {
    (32...400).contains(text.utf8.count) && text.allSatisfy(\.isHexDigit)
  }
}
