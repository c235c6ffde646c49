import ObjectStorage
import ServiceModule
import StorageWire

// Requests of S3 clients about a bucket: GET /{bucket}?NAME.
//
//     location           where the bucket is, as it was made
//     versioning         whether replaced generations are kept; PUT sets it
//     cors               XMLRoutes+CORS.swift
//     lifecycle, policy, tagging, website, encryption, replication, object-lock, publicAccessBlock
//                        that nothing is set, in the code that clients know
//     policyStatus, requestPayment, ownershipControls, logging, notification, accelerate
//                        what is so of every bucket here
//
// Everything else is refused by its name, as is setting any of them.

extension XMLRoutes {
  /// Shows the setting of a bucket under that name; nil for a name that is none of these.
  func setting(_ name: String, _ bucket: Bucket) throws -> ServiceResponse? {
    let configuration = bucket.stored.configuration
    switch name {
    case "location":
      let location = XMLElement("LocationConstraint", configuration.location.string)
      return .xml(location, namespace: Self.namespace)
    case "versioning":
      let status = configuration.isVersioned ? [XMLElement("Status", "Enabled")] : []
      return .xml(XMLElement("VersioningConfiguration", status), namespace: Self.namespace)
    case "lifecycle" where !configuration.lifecycle.isEmpty: throw XMLFailure.unsupported(name)
    case "tagging" where configuration.documents["labels"] != nil,
      "website" where configuration.documents["website"] != nil:
      throw XMLFailure.unsupported(name)
    default: break
    }
    if let failure = Self.absent[name] { throw failure }
    return Self.fixed[name].map { .xml($0, namespace: Self.namespace) }
  }

  /// Settings that no bucket has here.
  private static let absent: [String: XMLFailure] = [
    "lifecycle": none("NoSuchLifecycleConfiguration", "lifecycle configuration"),
    "tagging": none("NoSuchTagSet", "set of tags"),
    "website": none("NoSuchWebsiteConfiguration", "website configuration"),
    "encryption": none("ServerSideEncryptionConfigurationNotFoundError", "encryption"),
    "replication": none("ReplicationConfigurationNotFoundError", "replication configuration"),
    "object-lock": none("ObjectLockConfigurationNotFoundError", "object lock configuration"),
    "policy": none("NoSuchBucketPolicy", "bucket policy"),
    "publicAccessBlock": none("NoSuchPublicAccessBlockConfiguration", "public access block"),
  ]

  private static func none(_ code: String, _ what: String) -> XMLFailure {
    XMLFailure(404, code, "The bucket has no \(what).")
  }

  /// Settings that are the same for every bucket here.
  private static let fixed: [String: XMLElement] = [
    "policyStatus": XMLElement("PolicyStatus", [XMLElement("IsPublic", "false")]),
    "requestPayment": XMLElement(
      "RequestPaymentConfiguration",
      [XMLElement("Payer", "BucketOwner")]
    ),
    "ownershipControls": XMLElement(
      "OwnershipControls",
      [XMLElement("Rule", [XMLElement("ObjectOwnership", "BucketOwnerEnforced")])]
    ),
    "logging": XMLElement("BucketLoggingStatus"),
    "notification": XMLElement("NotificationConfiguration"),
    "accelerate": XMLElement("AccelerateConfiguration"),
  ]

  /// Sets whether replaced generations are kept.
  func setVersioning(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, signature) = try await bucket(request)
    let body = try XMLReader.read(try await request.signedText(upTo: 64 << 10, signature))
    guard body.name == "VersioningConfiguration" else { throw XMLFailure.malformed }
    for element in body.children where element.name != "Status" {
      guard element.name == "MFADelete" || element.name == "MfaDelete", element.text == "Disabled"
      else { throw XMLFailure.unsupported(String(element.name.prefix(100))) }
    }
    let isVersioned: Bool
    switch body["Status"]?.text {
    case "Enabled": isVersioned = true
    case "Suspended": isVersioned = false
    default: throw XMLFailure.malformed
    }
    _ = try await bucket.update { $0.isVersioned = isVersioned }
    return ServiceResponse()
  }
}
