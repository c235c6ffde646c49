import FirebaseCore
import Foundation

extension StorageMetadata {
  /// Metadata from their JSON members, as the server has them.
  public convenience init(dictionary: [String: AnyHashable]) {
    self.init(members: dictionary)
  }

  private convenience init(members dictionary: [String: Any]) {
    func text(_ name: String) -> String? { dictionary[name] as? String }
    func number(_ name: String) -> Int64 {
      text(name).flatMap { Int64($0) } ?? (dictionary[name] as? Int64)
        ?? (dictionary[name] as? Int).map(Int64.init) ?? 0
    }
    var settable = Settable()
    for (name, field) in Self.textFields { settable[keyPath: field] = text(name) }
    settable.custom = dictionary["metadata"] as? [String: String]
    let served = Served(
      bucket: text("bucket") ?? "",
      name: text("name"),
      md5Hash: text("md5Hash"),
      generation: number("generation"),
      metageneration: number("metageneration"),
      size: number("size"),
      timeCreated: text("timeCreated").flatMap(Self.date),
      updated: text("updated").flatMap(Self.date),
      downloadTokens: text("downloadTokens")?.split(separator: ",").map(String.init) ?? []
    )
    self.init(served, original: settable, current: settable)
  }

  /// The JSON members, as the server has them.
  public func dictionaryRepresentation() -> [String: AnyHashable] {
    let values = settable
    var json: [String: AnyHashable] = [:]
    for (name, field) in Self.textFields { json[name] = values[keyPath: field] }
    if let custom = values.custom { json["metadata"] = custom }
    if !served.bucket.isEmpty { json["bucket"] = served.bucket }
    json["name"] = served.name
    json["md5Hash"] = served.md5Hash
    json["timeCreated"] = served.timeCreated.map(Self.text)
    json["updated"] = served.updated.map(Self.text)
    for (name, number) in [
      ("generation", served.generation), ("metageneration", served.metageneration),
      ("size", served.size),
    ] where number != 0 { json[name] = String(number) }
    if !served.downloadTokens.isEmpty {
      json["downloadTokens"] = served.downloadTokens.joined(separator: ",")
    }
    return json
  }

  /// The metadata that an app may set.
  var settableJSON: [String: Any] {
    let values = settable
    var json: [String: Any] = [:]
    for (name, field) in Self.textFields { json[name] = values[keyPath: field] }
    if let custom = values.custom { json["metadata"] = custom }
    return json
  }

  /// Metadata from a response's body.
  convenience init(_ answer: HTTPAnswer) throws {
    let json = try? JSONSerialization.jsonObject(with: answer.body)
    guard let members = json as? [String: Any] else {
      throw StorageError.internalError(message: "The server's response has no metadata.")
    }
    self.init(members: members)
  }

  private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  private static func date(_ text: String) -> Date? {
    // A time without a fraction is one too.
    (try? Date(text, strategy: timeFormat)) ?? (try? Date(text, strategy: .iso8601))
  }

  /// The format truncates to milliseconds, so that this rounds.
  private static func text(_ date: Date) -> String { (date + 0.0005).formatted(timeFormat) }
}
