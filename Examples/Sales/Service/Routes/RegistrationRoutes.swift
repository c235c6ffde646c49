import Foundation
import GRDB
import Hummingbird
import ServiceHost

/// `/api/users/update_gcm_reg_id`: which device hears of the caller's orders.
///
/// The protected administrator has a device too, so it is no part of changing a user.
extension SalesService {
  func addRegistrationRoutes(to group: RouterGroup<BasicRequestContext>) {
    group.put(":id") { request, context in
      let caller = try await requireUser(request)
      let registration = try context.parameters.registration
      let changed = try await database.write { database in
        // A device that changed hands tells its new person's orders only.
        try Self.forget(registration, in: database)
        var user = caller
        user.gcmRegId = registration
        user.lastGCMRegister = now().timeIntervalSince1970
        try user.update(database, columns: ["gcmRegId", "lastGCMRegister"])
        return user
      }
      return try Response.json(UserReply(record: changed))
    }
    group.delete(":id") { request, context in
      var user = try await requireUser(request)
      let registration = try context.parameters.registration
      // Another device of the person may have taken its place.
      if user.gcmRegId == registration {
        try await database.write { [id = user.id] database in
          try database.execute(
            sql: """
              UPDATE user SET gcmRegId = NULL, lastGCMRegister = NULL WHERE gcmRegId = ? AND id = ?
              """,
            arguments: [registration, id]
          )
        }
        (user.gcmRegId, user.lastGCMRegister) = (nil, nil)
      }
      return try Response.json(UserReply(record: user))
    }
  }

  /// Forgets a registration, whoever has it.
  func forget(_ registration: String) async throws {
    try await database.write { try Self.forget(registration, in: $0) }
  }

  /// The same within a transaction.
  static func forget(_ registration: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE user SET gcmRegId = NULL, lastGCMRegister = NULL WHERE gcmRegId = ?",
      arguments: [registration]
    )
  }
}

extension Parameters {
  fileprivate var registration: String {
    get throws {
      guard let text = try require("id").removingPercentEncoding, !text.isEmpty,
        text.utf8.count <= 4096, !text.contains("\0")
      else { throw ServiceError(.badRequest, "The registration is not valid") }
      return text
    }
  }
}
