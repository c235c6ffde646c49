import BaseJSON
import BaseStatus

/// A version of a template, apart from the template itself.
package struct TemplateVersion: Sendable, Equatable {
  /// The publisher, as far as it is known.
  package struct Author: Sendable, Equatable {
    /// The author's email address; nil where it is not known.
    package var email: String?
    /// The author's display name; nil where it is not known.
    package var name: String?

    /// An author of those names.
    package init(email: String? = nil, name: String? = nil) {
      self.email = email
      self.name = name
    }
  }

  /// The origin of a version.
  package enum UpdateType: String, Sendable {
    case incremental = "INCREMENTAL_UPDATE"
    /// A publication regardless of the previous version.
    case forced = "FORCED_UPDATE"
    case rollback = "ROLLBACK"
  }

  /// From 1, not without gaps.
  package let number: Int64
  /// Microseconds since the epoch.
  package let updateTime: Int64
  /// The publisher's account; empty where it is not known.
  package let author: Author
  /// The API's word for the program: `REST_API`, `ADMIN_SDK_NODE`, `CONSOLE`.
  package let origin: String
  /// The kind of change that made the version.
  package let type: UpdateType
  /// The author's note on the version; nil without one.
  package let description: String?
  /// The version that a rollback brought back.
  package let rollbackSource: Int64?

  /// The version as the API has it.
  ///
  /// - Parameter time: The time of its publication as the API writes times.
  package func json(time: String) -> JSONValue {
    let user: [(name: String, value: JSONValue?)] = [
      ("email", author.email.map(JSONValue.string)), ("name", author.name.map(JSONValue.string)),
    ]
    return .members([
      ("versionNumber", .string("\(number)")), ("updateTime", .string(time)),
      ("updateUser", author == Author() ? nil : .members(user)),
      ("updateOrigin", .string(origin)), ("updateType", .string(type.rawValue)),
      ("description", description.map(JSONValue.string)),
      ("rollbackSource", rollbackSource.map { .string("\($0)") }),
    ])
  }

  /// As it is stored: the API's JSON with the time in microseconds.
  var stored: [UInt8] { Array(json(time: "\(updateTime)").compact.utf8) }

  init(
    number: Int64,
    updateTime: Int64,
    author: Author,
    origin: String,
    type: UpdateType,
    description: String?,
    rollbackSource: Int64? = nil
  ) {
    self.number = number
    self.updateTime = updateTime
    self.author = author
    self.origin = origin
    self.type = type
    self.description = description
    self.rollbackSource = rollbackSource
  }

  init(stored: some Collection<UInt8>) throws {
    let json = try JSONValue(parsing: String(decoding: Array(stored), as: UTF8.self))
    guard let number = json["versionNumber"]?.string.flatMap(Int64.init),
      let time = json["updateTime"]?.string.flatMap(Int64.init),
      let type = json["updateType"]?.string.flatMap(UpdateType.init)
    else { throw ServiceError(.dataLoss, "Stored data is damaged.") }
    self.init(
      number: number,
      updateTime: time,
      author: Author(
        email: json["updateUser"]?["email"]?.string,
        name: json["updateUser"]?["name"]?.string
      ),
      origin: json["updateOrigin"]?.string ?? "",
      type: type,
      description: json["description"]?.string,
      rollbackSource: json["rollbackSource"]?.string.flatMap(Int64.init)
    )
  }
}
