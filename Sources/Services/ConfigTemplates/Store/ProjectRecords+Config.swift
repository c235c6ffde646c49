import KeyValueStore

extension ProjectRecords {
  /// A project's templates with their versions and drafts, and the installations that experiments have.
  package static let config = ProjectRecords(of: .config) { project, reader, take in
    try reader.take(
      KeyOwner.config.range,
      where: { key, _ in TemplateKey.parse(key)?.id.project.string == project },
      take
    )
  }
}
