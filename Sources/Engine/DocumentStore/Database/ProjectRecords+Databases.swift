import BaseText
import FirestoreModel
import KeyValueStore

extension ProjectRecords {
  /// A project's databases with their indexes, history and logs, its rules and its backup schedules.
  ///
  /// Backups that schedules made are left out: they are instants of the server's own backup.
  package static let databases = ProjectRecords(
    of: .databases,
    shared: [KeyRange(prefix: MetaKey.format), KeyRange(prefix: MetaKey.greatestIncarnation)]
  ) { project, reader, take in
    let project = Text(project)
    let incarnations = try takeCatalog(of: project, reader, take)
    for prefix in [MetaKey.rulesets(of: project), MetaKey.releases(of: project)] {
      try reader.take(KeyRange(prefix: prefix), take)
    }
    try reader.take(
      KeyRange(prefix: MetaKey.allBackupSchedules),
      where: { key, _ in MetaKey.schedule(ofKey: key)?.database.project == project },
      take
    )
    for incarnation in incarnations {
      for prefix in MetaKey.prefixes(of: incarnation) {
        try reader.take(KeyRange(prefix: prefix), take)
      }
      for space in KeySpace.perDatabase {
        try reader.take(KeyRange(prefix: space.prefix(incarnation)), take)
      }
    }
  }

  /// Passes on the catalog's entries of a project; returns the incarnations of its databases.
  private static func takeCatalog(
    of project: Text,
    _ reader: any KeyValueReader,
    _ take: Take
  ) throws -> [Incarnation] {
    var incarnations: [Incarnation] = []
    let range = KeyRange(prefix: MetaKey.catalog)
    try reader.take(range) { key, value in
      guard let id = key.withUnsafeBytes({ MetaKey.database(ofCatalogKey: $0) }),
        id.project == project
      else { return }
      if let incarnation = try DatabaseCatalog.incarnation(of: id, in: reader) {
        incarnations.append(incarnation)
      }
      try take(key, value)
    }
    return incarnations
  }
}
