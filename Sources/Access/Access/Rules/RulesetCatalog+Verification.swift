import BaseText
import DocumentStore
import KeyValueStore

extension RulesetCatalog {
  /// Reads every ruleset and every release in one view, and reports unreadable ones and releases of
  /// missing rulesets; returns their number.
  package func verify(
    report: (String) throws -> Void
  ) throws -> (rulesets: Int, releases: Int) {
    try read { reader in
      var seen = (rulesets: 0, releases: 0)
      try Self.eachKey(below: MetaKey.rulesets, in: reader) { key, cursor in
        seen.rulesets += 1
        guard let key, (try? RulesetFormat.ruleset(project: key.0, id: key.1, cursor.value)) != nil
        else { return try report(Self.unreadable("ruleset", cursor)) }
      }
      try Self.eachKey(below: MetaKey.releases, in: reader) { key, cursor in
        seen.releases += 1
        guard let key,
          let release = try? RulesetFormat.release(
            project: key.0,
            name: key.1,
            [UInt8](cursor.value)
          )
        else { return try report(Self.unreadable("release", cursor)) }
        let ruleset = MetaKey.ruleset(project: release.project, id: release.rulesetID)
        guard try reader.get(ruleset) == nil else { return }
        try report(
          "missing ruleset: projects/\(release.project.string)/rulesets/"
            + "\(release.rulesetID.string) of the release \(release.name.string)"
        )
      }
      return seen
    }
  }

  private static func eachKey(
    below prefix: [UInt8],
    in reader: any KeyValueReader,
    _ body: ((project: Text, name: Text)?, any KeyValueCursor) throws -> Void
  ) throws {
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    while try cursor.next() { try body(try? RulesetFormat.names(ofKey: cursor.key), cursor) }
  }

  private static func unreadable(_ kind: String, _ cursor: any KeyValueCursor) -> String {
    "damaged \(kind): key \(Hexadecimal.text([UInt8](cursor.key)))"
  }
}
