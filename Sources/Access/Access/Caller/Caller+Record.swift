import BaseText
import DocumentCodec
import FirestoreModel

// Callers whose work goes on after their request has ended, as what they began keeps them: the bytes of a
// document whose fields are those below.

extension Caller {
  private static let kind: Text = "kind"
  private static let projects: Text = "projects"
  private static let identity: [Text] = [
    "project", "uid", "claims", "expiry", "issued", "signed", "session",
  ]

  /// The caller in bytes, which identify it and are not credentials.
  package var record: [UInt8] {
    var entries = [MapValue.Entry(key: Self.kind, value: .string(kindName))]
    if case .user(let user) = self {
      let values: [Value] = [
        .string(user.project), .string(user.uid), .map(user.claims), .integer(user.expiry),
        .integer(user.issued), .boolean(user.isSigned), .integer(user.session),
      ]
      entries += zip(Self.identity, values).map { MapValue.Entry(key: $0, value: $1) }
    }
    if case .projectAdministrator(let projects) = self {
      let names = projects.sorted().map(Value.string)
      entries.append(MapValue.Entry(key: Self.projects, value: .array(names)))
    }
    return DocumentFields(encoding: MapValue(entries)).bytes
  }

  /// The caller of a record that this server made; nil for other bytes.
  package init?(record: [UInt8]) {
    let fields = DocumentFields(validated: record).decoded()
    guard case .string(let kind)? = fields[Self.kind] else { return nil }
    switch kind.string {
    case "administrator": self = .administrator
    case "projectAdministrator":
      guard case .array(let names)? = fields[Self.projects] else { return nil }
      let projects = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
      self = .projectAdministrator(of: Set(projects))
    case "nobody": self = .nobody
    case "user":
      let values = Self.identity.map { fields[$0] }
      guard case .string(let project)? = values[0], case .string(let uid)? = values[1],
        case .map(let claims)? = values[2], case .integer(let expiry)? = values[3],
        case .integer(let issued)? = values[4], case .boolean(let isSigned)? = values[5],
        case .integer(let session)? = values[6]
      else { return nil }
      self = .user(
        UserIdentity(
          project: project,
          uid: uid,
          claims: claims,
          expiry: expiry,
          issued: issued,
          isSigned: isSigned,
          session: session
        )
      )
    default: return nil
    }
  }

  private var kindName: Text {
    switch self {
    case .administrator: "administrator"
    case .projectAdministrator: "projectAdministrator"
    case .nobody: "nobody"
    case .user: "user"
    }
  }
}
