import ArgumentParser
import BaseJSON
import BaseStatus
import Foundation

/// The part of a `firebase.json` that is about a site.
struct HostingFile {
  /// The folder of the site's files.
  let folder: URL
  /// Globs of files that stay here.
  let ignored: [String]
  /// The site that is named; nil where none is.
  let site: String?
  /// The rules in the form of Google's API.
  let config: JSONValue
  /// Names that are not known, and are passed over as Firebase's command line does.
  let unknown: [String]

  /// Reads a file: its one site, or the one of a name or target.
  init(_ path: String, site wanted: String?) throws {
    let url = URL(fileURLWithPath: path)
    let root = try JSONValue(parsing: try TextFile.json(at: path))
    guard let hosting = root["hosting"] else {
      throw ValidationError(
        "\(path) has no hosting. Name a folder there: {\"hosting\": {\"public\": \"public\"}}"
      )
    }
    let all = hosting.elements ?? [hosting]
    let chosen = wanted.map { name in
      all.filter { $0["site"]?.string == name || $0["target"]?.string == name }
    }
    guard let one = chosen?.first ?? (all.count == 1 ? all.first : nil) else {
      throw ValidationError("\(path) has \(all.count) sites. Name one of them with --site.")
    }
    guard let folder = one["public"]?.string, !folder.isEmpty else {
      throw ValidationError("The site in \(path) has no folder. Set it as public.")
    }
    self.folder = url.deletingLastPathComponent().appendingPathComponent(folder)
    ignored =
      ["firebase.json", "firebase-debug.log", ".firebase/**"]
      + (one["ignore"]?.elements ?? []).compactMap(\.string)
    site = one["site"]?.string ?? wanted
    unknown = (one.members ?? []).map(\.key).filter { !Self.known.contains($0) }
    config = try Self.config(one)
  }

  private static let known: Set<String> = [
    "public", "ignore", "site", "target", "rewrites", "redirects", "headers", "cleanUrls",
    "trailingSlash", "i18n", "predeploy", "postdeploy", "appAssociation", "source",
    "frameworksBackend",
  ]

  private static func config(_ site: JSONValue) throws -> JSONValue {
    var members: [JSONValue.Member] = []
    func put(_ name: String, _ rules: [JSONValue]?) {
      if let rules, !rules.isEmpty { members.append(.init(name, .array(rules))) }
    }
    put("redirects", try site["redirects"]?.elements?.map { try redirect($0) })
    put("rewrites", try site["rewrites"]?.elements?.map { try rewrite($0) })
    put("headers", try site["headers"]?.elements?.map { try header($0) })
    if let flag = site["cleanUrls"]?.boolean { members.append(.init("cleanUrls", .boolean(flag))) }
    if let flag = site["trailingSlash"]?.boolean {
      members.append(.init("trailingSlashBehavior", .string(flag ? "ADD" : "REMOVE")))
    }
    if let i18n = site["i18n"] { members.append(.init("i18n", i18n)) }
    return .object(members)
  }

  private static func source(_ rule: JSONValue) throws -> JSONValue.Member {
    if let glob = rule["source"]?.string ?? rule["glob"]?.string {
      return .init("glob", .string(glob))
    }
    guard let regex = rule["regex"]?.string else {
      throw ValidationError("A rule of hosting has no source: \(rule.compact.prefix(120))")
    }
    return .init("regex", .string(regex))
  }

  private static func redirect(_ rule: JSONValue) throws -> JSONValue {
    .object([
      try source(rule), .init("statusCode", rule["type"] ?? .integer(301)),
      .init("location", rule["destination"] ?? .null),
    ])
  }

  private static func rewrite(_ rule: JSONValue) throws -> JSONValue {
    var members = [try source(rule)]
    if let path = rule["destination"] {
      members.append(.init("path", path))
    } else if let function = rule["function"] {
      members.append(.init("function", function["functionId"] ?? function))
      if let region = function["region"] ?? rule["region"] {
        members.append(.init("functionRegion", region))
      }
    } else if let run = rule["run"] {
      members.append(.init("run", run))
    }
    return .object(members)
  }

  private static func header(_ rule: JSONValue) throws -> JSONValue {
    let fields = (rule["headers"]?.elements ?? []).compactMap { field in
      field["key"]?.string.map { JSONValue.Member($0, field["value"] ?? .null) }
    }
    return .object([try source(rule), .init("headers", .object(fields))])
  }
}
