/// A request of `brasa console` about the administrators.
enum ConsoleRequest: Codable, Sendable, Equatable {
  /// A set-up link for that address, or for any holder. The role is for those projects, or for all
  /// if none is named. The origin is the server's if none is given.
  case invite(email: String?, role: String, projects: [String], seconds: Int64, origin: String?)
  /// Each administrator as a line.
  case list
  case remove(email: String)
}
