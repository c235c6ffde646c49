import BaseJSON
import Foundation

/// The copy of a project's rules, indexes and Remote Config.
struct SettingsCopy: Sendable {
  let source: SourceServer
  let target: MigrationTarget
  /// The database at the source.
  let database: String

  /// Puts the rules in force that are in force at the source; returns the names of their releases.
  func rules() async throws -> (releases: [String], drops: [String]) {
    let root = "projects/\(source.project)/releases/"
    var releases: [(name: String, ruleset: String)] = []
    try await source.list(
      .rules,
      "/v1/projects/\(source.project)/releases?pageSize=100",
      "releases"
    ) { release in
      guard let name = release["name"]?.string, name.hasPrefix(root),
        let ruleset = release["rulesetName"]?.string
      else { return }
      releases.append((String(name.dropFirst(root.count)), ruleset))
    }
    var (deployed, drops) = ([String](), [String]())
    for (name, ruleset) in releases {
      guard let json = try await source.get(.rules, "/v1/\(ruleset)"),
        let files = json["source"]?["files"]?.elements, files.count == 1,
        let content = files[0]["content"]?.string
      else {
        drops.append("rules of \(name): the ruleset has several files or none.")
        continue
      }
      let file = RulesSource(name: files[0]["name"]?.string ?? "firestore.rules", content: content)
      let here = name.replacing("\(source.project).", with: "\(target.label.project).")
      do {
        _ = try await target.perform(
          .deployRules(project: target.label.project, releases: [here], file: file)
        )
        deployed.append(here)
      } catch ControlError.refused(_, let message) {
        drops.append("rules of \(name): \(message)")
      }
    }
    return (deployed, drops)
  }

  /// Declares the source's composite indexes and exceptions of single fields; returns how many there are.
  func indexes() async throws -> Int {
    let group = "/v1/projects/\(source.project)/databases/\(database)/collectionGroups/-"
    var (indexes, overrides) = ([JSONValue](), [JSONValue]())
    try await source.list(.firestore, "\(group)/indexes?pageSize=300", "indexes") { index in
      guard let collection = Self.collection(index["name"]?.string) else { return }
      let fields = (index["fields"]?.elements ?? []).filter {
        $0["fieldPath"]?.string != "__name__"
      }
      indexes.append(
        .object([
          "collectionGroup": .string(collection),
          "queryScope": index["queryScope"] ?? .string("COLLECTION"), "fields": .array(fields),
        ])
      )
    }
    let filter = "indexConfig.usesAncestorConfig%3Dfalse%20OR%20ttlConfig%3A*"
    try await source.list(.firestore, "\(group)/fields?pageSize=300&filter=\(filter)", "fields") {
      field in
      guard let name = field["name"]?.string, let collection = Self.collection(name),
        collection != "__default__", let path = name.split(separator: "/").last
      else { return }
      let single = (field["indexConfig"]?["indexes"]?.elements ?? []).map { index in
        var members = [
          JSONValue.Member("queryScope", index["queryScope"] ?? .string("COLLECTION"))
        ]
        for member in index["fields"]?.elements?.first?.members ?? []
        where member.key != "fieldPath" {
          members.append(member)
        }
        return JSONValue.object(members)
      }
      var members: [JSONValue.Member] = [
        .init("collectionGroup", .string(collection)), .init("fieldPath", .string(String(path))),
        .init("indexes", .array(single)),
      ]
      if field["ttlConfig"] != nil { members.append(.init("ttl", .boolean(true))) }
      overrides.append(.object(members))
    }
    let definitions = JSONValue.object([
      "indexes": .array(indexes), "fieldOverrides": .array(overrides),
    ])
    _ = try await target.perform(
      .applyIndexes(database: target.label, definitions: definitions.compact, deletingOthers: false)
    )
    return indexes.count + overrides.count
  }

  /// The collection in a name `…/collectionGroups/ID/…`.
  private static func collection(_ name: String?) -> String? {
    let parts = (name ?? "").split(separator: "/").map(String.init)
    guard let index = parts.firstIndex(of: "collectionGroups"), index + 1 < parts.count else {
      return nil
    }
    return parts[index + 1]
  }

  /// Publishes the source's Remote Config; false where it has none.
  func remoteConfig() async throws -> Bool {
    guard
      let template = try await source.get(
        .remoteConfig,
        "/v1/projects/\(source.project)/remoteConfig"
      )
    else { return false }
    let members = (template.members ?? []).filter { $0.key != "version" }
    guard
      members.contains(where: {
        $0.value.members?.isEmpty == false || $0.value.elements?.isEmpty == false
      })
    else { return false }
    let request = ConfigRequest.publish(
      template: JSONValue.object(members).compact,
      etag: nil,
      validatesOnly: false,
      description: "Moved from \(source.project)"
    )
    _ = try await target.perform(
      .config(project: target.label.project, isServer: false, request)
    )
    return true
  }
}
