import BaseJSON
import BaseText
import FirestoreModel

/// The policy of a form that uploads a file: what its signer allows the fields to say.
///
/// Every field but `file`, `policy`, the signature and those that begin with `x-ignore-` needs a condition that
/// holds, and every condition has to hold.
package struct PostPolicy: Sendable, Equatable {
  enum Condition: Sendable, Equatable {
    case equal(field: String, String)
    case prefix(field: String, String)
    case length(ClosedRange<Int64>)
  }

  /// In seconds since 1970; the policy's own text for the time is RFC 3339 in UTC.
  package let expiration: Int64
  let conditions: [Condition]

  /// The reason for refusing a form.
  package enum Problem: Error, Sendable, Equatable {
    case malformed
    case expired
    /// The field has no condition, or one that does not hold.
    case field(String)
    /// The file is smaller or larger than the policy allows.
    case tooSmall, tooLarge
  }

  /// Reads the field `policy`: JSON in Base64.
  package init(encoded: String) throws(Problem) {
    guard encoded.utf8.count <= 64 << 10, let bytes = Base64.decode(encoded),
      let text = String(validating: bytes, as: UTF8.self), let json = try? JSONValue(parsing: text),
      case .object(let members) = json
    else { throw .malformed }
    var expiration: Int64?
    var conditions: [Condition]?
    for member in members {
      switch (member.key, member.value) {
      case ("expiration", .string(let text)): expiration = Self.seconds(text)
      case ("conditions", .array(let list)): conditions = try Self.conditions(list)
      default: throw .malformed
      }
    }
    guard let expiration, let conditions else { throw .malformed }
    self.expiration = expiration
    self.conditions = conditions
  }

  /// The sizes that a file may have.
  package var lengths: ClosedRange<Int64> {
    var range: ClosedRange<Int64> = 0...Int64.max
    for case .length(let allowed) in conditions {
      guard range.overlaps(allowed) else { return 0...0 }
      range = range.clamped(to: allowed)
    }
    return range
  }

  /// Checks the time and the fields of a form; names are in lower case.
  ///
  /// - Parameter now: In seconds since 1970.
  package func check(_ fields: [String: String], now: Int64) throws(Problem) {
    guard now <= expiration else { throw .expired }
    var named: Set<String> = []
    for condition in conditions {
      switch condition {
      case .equal(let field, let value):
        guard fields[field] == value else { throw .field(field) }
        named.insert(field)
      case .prefix(let field, let value):
        guard let given = fields[field], given.hasPrefixBytes(value) else { throw .field(field) }
        named.insert(field)
      case .length: break
      }
    }
    for field in fields.keys.sorted() where !named.contains(field) && !Self.isFree(field) {
      throw .field(field)
    }
  }

  private static func isFree(_ field: String) -> Bool {
    ["policy", "file", "x-goog-signature", "x-amz-signature"].contains(field)
      || field.hasPrefix("x-ignore-")
  }

  private static func conditions(_ list: [JSONValue]) throws(Problem) -> [Condition] {
    var conditions: [Condition] = []
    for element in list {
      switch element {
      case .object(let members):
        for member in members {
          guard case .string(let value) = member.value else { throw .malformed }
          conditions.append(.equal(field: member.key.lowercased(), value))
        }
      case .array(let parts): conditions.append(try condition(parts))
      default: throw .malformed
      }
    }
    return conditions
  }

  private static func condition(_ parts: [JSONValue]) throws(Problem) -> Condition {
    guard parts.count == 3, case .string(let kind) = parts[0] else { throw .malformed }
    if kind.lowercased() == "content-length-range" {
      guard let low = number(parts[1]), let high = number(parts[2]), 0 <= low, low <= high else {
        throw .malformed
      }
      return .length(low...high)
    }
    guard case .string(let name) = parts[1], case .string(let value) = parts[2],
      name.hasPrefix("$"), name.utf8.count > 1
    else { throw .malformed }
    let field = name.dropFirst().lowercased()
    switch kind.lowercased() {
    case "eq": return .equal(field: field, value)
    case "starts-with": return .prefix(field: field, value)
    default: throw .malformed
    }
  }

  private static func number(_ json: JSONValue) -> Int64? {
    switch json {
    case .number(let digits), .string(let digits): Int64(digits)
    default: nil
    }
  }

  /// `2026-01-31T12:00:00Z`, with or without a fraction.
  private static func seconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let first = parts.first else { return nil }
    if parts.count == 2 {
      guard parts[1].last == "Z", parts[1].dropLast().allSatisfy(\.isNumber) else { return nil }
    }
    let basic = String(first.filter { $0 != "-" && $0 != ":" })
    return BasicTime(parts.count == 2 ? basic + "Z" : basic)?.seconds
  }
}

extension String {
  /// Returns true if the bytes begin with those of the other.
  fileprivate func hasPrefixBytes(_ other: String) -> Bool { utf8.starts(with: other.utf8) }
}

extension SignatureVerifier {
  /// Checks the signature of a form's policy and its conditions for the fields, which are by names
  /// in lower case; returns the account that signed, and its key.
  ///
  /// - Parameter now: In seconds since 1970.
  package func verify(
    form fields: [String: String],
    now: Int64
  ) throws -> (account: String, key: SigningKey, policy: PostPolicy) {
    if let account = fields["googleaccessid"] ?? fields["awsaccesskeyid"] {
      return try verify(version2: fields, account: account, now: now)
    }
    for dialect in [SignatureDialect.google, .amazon] {
      let prefix = dialect.headerPrefix
      guard let algorithm = fields[prefix + "algorithm"] else { continue }
      guard [dialect.hmacAlgorithm, dialect.rsaAlgorithm].contains(algorithm) else {
        throw SignatureProblem.malformed(prefix + "algorithm")
      }
      guard let credential = CredentialScope.parse(fields[prefix + "credential"] ?? "", dialect)
      else { throw SignatureProblem.malformed(prefix + "credential") }
      guard let time = BasicTime(fields[prefix + "date"] ?? ""),
        time.date == credential.scope.date
      else { throw SignatureProblem.malformed(prefix + "date") }
      guard let bytes = RequestSignature.bytes(hexadecimal: fields[prefix + "signature"] ?? "")
      else { throw SignatureProblem.malformed(prefix + "signature") }
      let text = fields["policy"] ?? ""
      let key = try verify(
        text,
        bytes,
        algorithm: algorithm,
        account: credential.account,
        scope: credential.scope,
        dialect
      )
      let policy = try PostPolicy(encoded: text)
      try policy.check(fields, now: now)
      return (credential.account, key, policy)
    }
    throw SignatureProblem.malformed("x-goog-algorithm")
  }

  /// The form of version 2: the fields `GoogleAccessId` or `AWSAccessKeyId`, and `signature`, which no condition has to
  /// allow.
  ///
  /// A shared secret signs the policy with HMAC and SHA-1.
  private func verify(
    version2 fields: [String: String],
    account: String,
    now: Int64
  ) throws -> (account: String, key: SigningKey, policy: PostPolicy) {
    let signature = try Version2Signature.bytes(fields["signature"], "signature")
    let text = fields["policy"] ?? ""
    let isBySecret = fields["googleaccessid"] == nil || Version2Signature.isAccessID(account)
    let key =
      isBySecret
      ? try verify(secretOf: account, [text], signature)
      : try verify(anyOf: [text], signature, account: account)
    let policy = try PostPolicy(encoded: text)
    let credentials = ["googleaccessid", "awsaccesskeyid", "signature"]
    try policy.check(fields.filter { !credentials.contains($0.key) }, now: now)
    return (account, key, policy)
  }
}
