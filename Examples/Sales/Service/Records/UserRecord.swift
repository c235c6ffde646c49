import GRDB

enum Role: String, Codable, Sendable {
  case user = "USER"
  case admin = "ADMIN"
}

/// A user as stored.
struct UserRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "user"

  var id: Int64
  var email: String
  var passwordHash: String
  /// The registration of the device that hears of the user's orders.
  var gcmRegId: String?
  /// When `gcmRegId` was told last, in seconds since 1970.
  var lastGCMRegister: Double?
  var role: Role
  var enabled: Bool

  var isProtected: Bool { email.lowercased() == SalesService.administrator }
}

/// A user as answered: the password's field is there, its value never; dates are milliseconds since 1970.
struct UserReply: Encodable {
  let record: UserRecord

  private enum Key: String, CodingKey {
    case id, email, password, gcmRegId, lastLogin, lastGCMRegister, role, enabled
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(record.id, forKey: .id)
    try object.encode(record.email, forKey: .email)
    try object.encodeNil(forKey: .password)
    try object.encode(record.gcmRegId, forKey: .gcmRegId)
    try object.encodeNil(forKey: .lastLogin)
    let lastGCMRegister = record.lastGCMRegister.map { Int64($0 * 1000) }
    try object.encode(lastGCMRegister, forKey: .lastGCMRegister)
    try object.encode(record.role, forKey: .role)
    try object.encode(record.enabled, forKey: .enabled)
  }
}
