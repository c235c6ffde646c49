import Access
import BaseJSON
import BaseText
import ObjectStorage
import ServiceModule

// Secrets that the server shares with back ends, for administrators.

extension StorageCall {
  private var project: Text { Text(parameter("project")) }

  private var accessID: Text { Text(parameter("key")) }

  /// The right to a project's keys, for the roles in the table of administrative acts.
  private func permit(_ act: AdministrativeAct) async throws -> AdministratorPermit {
    let (access, context, project) = (environment.access, request.context, project)
    return try await environment.threads.run {
      try access.administratorPermit(
        for: try access.caller(for: act, of: project, context),
        of: project
      )
    }
  }

  /// The one response that has the secret.
  func makeHMACKey() async throws -> ServiceResponse {
    let permit = try await permit(.changeSharedSecrets)
    guard let account = query["serviceAccountEmail"], !account.isEmpty else {
      throw StorageError(.invalid, "Required parameter: serviceAccountEmail")
    }
    let isKnown = try await environment.threads.run { [environment, project] in
      environment.isServiceAccount(account, project)
    }
    guard isKnown, account.utf8.count <= 320 else {
      throw StorageError(.notFound, "Service Account '\(account.prefix(320))' not found.")
    }
    let maker = try await self.account().name
    let key = try await storage.makeHMACKey(of: Text(account), in: project, by: maker, permit)
    return try answer(
      .object([
        "kind": .string("storage#hmacKey"), "metadata": json(of: key),
        "secret": .string(key.secret ?? ""),
      ])
    )
  }

  func listHMACKeys() async throws -> ServiceResponse {
    let permit = try await permit(.readSharedSecrets)
    let account = query["serviceAccountEmail"].map { Text($0) }
    let showsDeleted = try query.flag("showDeletedKeys")
    let limit = min(try pageSize(), 250)
    let from = Text(query["pageToken"] ?? "")
    let keys = try await storage.hmacKeys(of: project, from: from, permit).filter { key in
      (account ?? key.account) == key.account && (showsDeleted || key.state != .deleted)
    }
    var members: [JSONValue.Member] = [
      .init("kind", .string("storage#hmacKeysMetadata")),
      .init("items", .array(keys.prefix(limit).map(json(of:)))),
    ]
    if keys.count > limit {
      members.append(.init("nextPageToken", .text(keys[limit].accessID)))
    }
    return try answer(.object(members))
  }

  func getHMACKey() async throws -> ServiceResponse {
    let permit = try await permit(.readSharedSecrets)
    return try answer(json(of: try await storage.hmacKey(accessID, of: project, permit)))
  }

  func changeHMACKey() async throws -> ServiceResponse {
    let permit = try await permit(.changeSharedSecrets)
    var reading = try JSONReading(try await json())
    reading.ignore([
      "kind", "id", "selfLink", "accessId", "projectId", "serviceAccountEmail", "timeCreated",
      "updated",
    ])
    let tag = try reading.text("etag")?.string
    let state: HMACKey.State
    switch try reading.text("state") {
    case "ACTIVE": state = .active
    case "INACTIVE": state = .inactive
    default: throw JSONReading.invalid("state")
    }
    try reading.end()
    let key = try await storage.setHMACKey(
      accessID,
      of: project,
      to: state,
      ifEntityTag: tag,
      permit
    )
    return try answer(json(of: key))
  }

  func deleteHMACKey() async throws -> ServiceResponse {
    let permit = try await permit(.changeSharedSecrets)
    _ = try await storage.setHMACKey(accessID, of: project, to: .deleted, permit)
    return ServiceResponse(status: .noContent)
  }

  /// All of a key but its secret.
  private func json(of key: HMACKey) -> JSONValue {
    let (project, id) = (key.project.string, key.accessID.string)
    let state =
      switch key.state {
      case .active: "ACTIVE"
      case .inactive: "INACTIVE"
      case .deleted: "DELETED"
      }
    return .object([
      "kind": .string("storage#hmacKeyMetadata"), "id": .string("\(project)/\(id)"),
      "selfLink": .string("\(origin)/storage/v1/projects/\(project)/hmacKeys/\(id)"),
      "accessId": .string(id), "projectId": .string(project),
      "serviceAccountEmail": .text(key.account), "state": .string(state),
      "timeCreated": .time(key.created), "updated": .time(key.updated),
      "etag": .string(key.entityTag), "createdBy": .string(key.maker),
    ])
  }
}
