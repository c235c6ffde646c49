import BaseJSON
import BaseStatus
import BaseText
import PushMessaging

/// A project's credentials for push services, as they are exported and imported.
///
/// One JSON object: `{"vapid": {"publicKey", "subject"}, "apnsKeys": [{"keyId", "teamId", "bundleId"}]}`; with secrets each has a
/// `privateKey` beside: the pair's as base64url of 32 bytes, Apple's as PEM.
package struct CredentialsTransfer: Sendable, Equatable {
  /// The project's signing keys for APNs, with their private keys.
  package let apnsKeys: [APNsKey]
  /// The project's VAPID pair with its private key; nil where it has none.
  package let vapid: VAPIDPair?

  /// The credentials with their secrets.
  package init(apnsKeys: [APNsKey], vapid: VAPIDPair?) {
    self.apnsKeys = apnsKeys
    self.vapid = vapid
  }

  /// The number of credentials.
  package var count: Int { apnsKeys.count + (vapid == nil ? 0 : 1) }

  /// The number of credentials in an exported line.
  static func count(in json: JSONValue) -> Int {
    (json["apnsKeys"]?.elements?.count ?? 0) + (json["vapid"] == nil ? 0 : 1)
  }

  /// True if there are no credentials.
  package var isEmpty: Bool { apnsKeys.isEmpty && vapid == nil }

  /// The object; private keys only where they are asked for.
  package func json(withSecrets: Bool) -> JSONValue {
    var members: [JSONValue.Member] = []
    if let vapid {
      let secret = withSecrets ? Base64.url(vapid.privateKey) : nil
      members.append(
        .init(
          "vapid",
          Self.object(
            [("publicKey", Base64.url(vapid.publicKey)), ("subject", vapid.subject)],
            secret: secret
          )
        )
      )
    }
    let keys = apnsKeys.map { key in
      Self.object(
        [("keyId", key.keyID), ("teamId", key.teamID), ("bundleId", key.bundle)],
        secret: withSecrets ? key.privateKey : nil
      )
    }
    members.append(.init("apnsKeys", .array(keys)))
    return .object(members)
  }

  private static func object(_ texts: [(String, String)], secret: String?) -> JSONValue {
    let all = texts + (secret.map { [("privateKey", $0)] } ?? [])
    return .object(all.map { .init($0.0, .string($0.1)) })
  }

  /// Reads an object with secrets; INVALID_ARGUMENT for another one.
  package init(secrets json: JSONValue) throws(ServiceError) {
    var keys: [APNsKey] = []
    for each in json["apnsKeys"]?.elements ?? [] {
      guard let keyID = each["keyId"]?.string, let teamID = each["teamId"]?.string,
        let privateKey = each["privateKey"]?.string
      else { throw Self.malformed }
      let bundle = each["bundleId"]?.string ?? ""
      keys.append(APNsKey(keyID: keyID, teamID: teamID, privateKey: privateKey, bundle: bundle))
    }
    apnsKeys = keys
    guard let pair = json["vapid"] else {
      vapid = nil
      return
    }
    guard let publicKey = pair["publicKey"]?.string.flatMap({ Base64.decode($0) }),
      let privateKey = pair["privateKey"]?.string.flatMap({ Base64.decode($0) }),
      let subject = pair["subject"]?.string
    else { throw Self.malformed }
    vapid = VAPIDPair(publicKey: publicKey, privateKey: privateKey, subject: subject)
  }

  private static let malformed = ServiceError.invalidArgument(
    "The text contains no credentials with private keys."
  )
}

extension CredentialsTransfer {
  /// Lists, in words for people, the credentials of an export without secrets that a project lacks.
  func lacking(from json: JSONValue) -> [String] {
    var found: [String] = []
    if let key = json["vapid"]?["publicKey"]?.string,
      key != vapid.map({ Base64.url($0.publicKey) })
    {
      found.append(
        "the VAPID pair of the key \(key) is missing: subscriptions of browsers depend on it"
      )
    }
    for each in json["apnsKeys"]?.elements ?? [] {
      let id = each["keyId"]?.string ?? ""
      if !apnsKeys.contains(where: { $0.keyID == id }) {
        found.append("Apple's key \(id) is missing")
      }
    }
    return found
  }
}
