import BaseText
import DocumentCodec
import FirestoreModel

// An account as bytes, for stored data of a call that outlives it: the encoded fields of a
// document.
//
//   kind          what the account is
//   texts         the texts of its kind, in the order of the case
//   session       of an administrator
//   user          of a user: the record of the caller
//
// Bytes of an older form name no account, and are read as none.

extension CallerAccount {
  /// The account as bytes that `init(record:)` reads.
  package var record: [UInt8] {
    let entries: [MapValue.Entry] =
      switch self {
      case .nobody: Self.entries("account nobody")
      case .development: Self.entries("account development")
      case .administratorKey(let fingerprint):
        Self.entries("account key", Base64.url(fingerprint))
      case .administrator(let uid, let session, let email):
        Self.entries("account administrator", uid.string, email)
          + [MapValue.Entry(key: "session", value: .integer(session))]
      case .serviceAccount(let email, let keyID):
        Self.entries("account service", email, keyID)
      case .sharedSecret(let accessID): Self.entries("account secret", accessID)
      case .user(let user, let mark):
        Self.entries("account user", mark)
          + [MapValue.Entry(key: "user", value: .bytes(Caller.user(user).record))]
      }
    return DocumentFields(encoding: MapValue(entries)).bytes
  }

  private static func entries(_ kind: Text, _ texts: String...) -> [MapValue.Entry] {
    [
      MapValue.Entry(key: "kind", value: .string(kind)),
      MapValue.Entry(key: "texts", value: .array(texts.map { .string(Text($0)) })),
    ]
  }

  /// The account of a record that this server made; nil for other bytes.
  package init?(record: [UInt8]) {
    let fields = DocumentFields(validated: record).decoded()
    guard case .string(let kind)? = fields["kind"], case .array(let values)? = fields["texts"]
    else { return nil }
    let texts = values.compactMap { if case .string(let text) = $0 { text.string } else { nil } }
    switch (kind.string, texts.count) {
    case ("account nobody", _): self = .nobody
    case ("account development", _): self = .development
    case ("account key", 1):
      guard let fingerprint = Base64.decode(texts[0]) else { return nil }
      self = .administratorKey(fingerprint: fingerprint)
    case ("account administrator", 2):
      guard case .integer(let session)? = fields["session"] else { return nil }
      self = .administrator(uid: Text(texts[0]), session: session, email: texts[1])
    case ("account service", 2): self = .serviceAccount(email: texts[0], keyID: texts[1])
    case ("account secret", 1): self = .sharedSecret(accessID: texts[0])
    case ("account user", 1):
      guard case .bytes(let record)? = fields["user"],
        case .user(let user)? = Caller(record: Array(record))
      else { return nil }
      self = .user(user, mark: texts[0])
    default: return nil
    }
  }
}
