import Authentication
import BaseJSON
import BaseText
import ConfigTemplates
import Events
import EventsAPI
import FirestoreModel
import FirestoreWire
import KeyValueStore
import ObjectStorage
import StorageAPI

// The events of accounts, files and Remote Config, written in the groups of their changes.

extension EventTap {
  /// Follows accounts of projects and their tenants.
  var accountFollower: AccountFollower {
    AccountFollower(
      write: { [self] group, scope, change in
        guard let project = scope.project?.string, follows(.accounts, project: project) else {
          return
        }
        var event = StoredEvent(family: .accounts, project: project)
        let user: User
        switch change {
        case .created(let made): (user, event.change) = (made, .created)
        case .deleted(let gone): (user, event.change) = (gone, .deleted)
        }
        event.subject = user.uid.string
        event.data = user.eventData(tenant: scope.tenant?.string).compactBytes
        try record(event, order: event.subject, in: group)
      },
      landed: { [self] in groupLanded() }
    )
  }

  /// Follows objects of projects' buckets, whose resources name an origin.
  func objectFollower(origin: String) -> ObjectFollower {
    ObjectFollower(
      write: { [self] group, project, object, change, depth in
        let (project, bucket) = (project.string, object.bucket.text.string)
        guard follows(.objects, project: project, scope: bucket) else { return }
        var event = StoredEvent(family: .objects, project: project)
        event.scope = bucket
        event.subject = object.name.text.string
        event.change =
          switch change {
          case .finalized: .finalized
          case .archived: .archived
          case .deleted: .deleted
          case .metadataUpdated: .metadataUpdated
          }
        event.data = object.eventData(origin: origin).compactBytes
        event.author.depth = depth
        try record(event, order: event.subject, in: group)
      },
      landed: { [self] in groupLanded() }
    )
  }

  /// Follows clients' templates of Remote Config.
  var templateFollower: TemplateFollower {
    TemplateFollower(
      write: { [self] group, id, version, depth in
        guard id.namespace == .client, follows(.configuration, project: id.project.string) else {
          return
        }
        var event = StoredEvent(family: .configuration, project: id.project.string)
        let instant = Timestamp(microseconds: version.updateTime)
        let time = TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
        event.data = version.json(time: time).compactBytes
        event.author.depth = depth
        try record(event, order: "template", in: group)
      },
      landed: { [self] in groupLanded() }
    )
  }
}

extension User {
  /// The account in the form of the first generation's events.
  fileprivate func eventData(tenant: String?) -> JSONValue {
    var members: [JSONValue.Member] = [.init("uid", .string(uid.string))]
    func add(_ name: String, _ value: String?) {
      if let value { members.append(.init(name, .string(value))) }
    }
    add("email", email?.text.string)
    members.append(.init("emailVerified", .boolean(isEmailVerified)))
    add("displayName", displayName)
    add("photoURL", photoURL)
    add("phoneNumber", phoneNumber?.text.string)
    members.append(.init("disabled", .boolean(isDisabled)))
    var times: [JSONValue.Member] = [.init("createdAt", .string(Self.time(createdAt)))]
    times.append(.init("creationTime", .string(Self.time(createdAt))))
    if let lastSignInAt {
      times.append(.init("lastSignedInAt", .string(Self.time(lastSignInAt))))
      times.append(.init("lastSignInTime", .string(Self.time(lastSignInAt))))
    }
    members.append(.init("metadata", .object(times)))
    if let customClaims, let claims = try? JSONValue(parsing: customClaims) {
      members.append(.init("customClaims", claims))
    }
    members.append(.init("providerData", .array(eventProviders)))
    add("tenantId", tenant)
    return .object(members)
  }

  private var eventProviders: [JSONValue] {
    var list: [JSONValue] = []
    if hasPasswordProvider, let email = email?.text.string {
      list.append(
        .object([
          .init("providerId", .string("password")), .init("uid", .string(email)),
          .init("email", .string(email)),
        ])
      )
    }
    for provider in providers {
      var members: [JSONValue.Member] = [
        .init("providerId", .string(provider.providerID.string)),
        .init("uid", .string(provider.rawID.string)),
      ]
      if let email = provider.email { members.append(.init("email", .string(email))) }
      if let name = provider.displayName {
        members.append(.init("displayName", .string(name)))
      }
      if let url = provider.photoURL { members.append(.init("photoURL", .string(url))) }
      list.append(.object(members))
    }
    return list
  }

  /// A time in milliseconds as RFC 3339.
  private static func time(_ milliseconds: Int64) -> String {
    let instant = Timestamp(microseconds: milliseconds * 1_000)
    return TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
  }
}
