import BaseStatus
import KeyValueStore

// Changing templates, and their versions. All of it blocks.

/// The condition under which a template is published.
package enum TemplatePrecondition: Sendable, Equatable {
  /// Nothing.
  case none
  /// This is the newest version's etag.
  case etag(String)
}

/// The author and program of a publication.
package struct Publisher: Sendable {
  /// The author as the version's `updateUser` shows it.
  package var author: TemplateVersion.Author
  /// The API's word for the program.
  package var origin: String
  /// The number of events that led to the publication, one causing the next.
  package var eventDepth = 0

  /// An author with a program.
  package init(_ author: TemplateVersion.Author = .init(), origin: String = "REST_API") {
    self.author = author
    self.origin = origin
  }
}

extension TemplateID {
  /// The etag of a version; 0 is before the first, and what was only validated.
  package func etag(_ number: Int64) -> String {
    let middle = namespace == .client ? "" : "\(namespace.rawValue)-"
    return "etag-\(project.string)-\(middle)\(number)"
  }
}

/// Writes what follows from new versions of templates in the groups of the versions.
package struct TemplateFollower: Sendable {
  /// Writes along with a version; what it throws fails the publication.
  ///
  /// `depth` is the number of events that led to the publication, one causing the next.
  package let write:
    @Sendable (any KeyValueGroup, TemplateID, TemplateVersion, _ depth: Int) throws -> Void
  /// Called when a group is durable, on the writing thread.
  package let landed: @Sendable () -> Void

  /// A follower of these two steps.
  package init(
    write:
      @escaping @Sendable (any KeyValueGroup, TemplateID, TemplateVersion, _ depth: Int) throws ->
      Void,
    landed: @escaping @Sendable () -> Void
  ) {
    self.write = write
    self.landed = landed
  }
}

extension ConfigTemplates {
  /// Has a follower write along with every new version.
  package func writeAlongVersions(_ follower: TemplateFollower) {
    self.follower.withLock { $0 = follower }
  }

  /// Compiles a template and reports its faults, or those of the precondition; stores nothing.
  package func validate(
    _ template: ConfigTemplate,
    of id: TemplateID,
    _ precondition: TemplatePrecondition
  ) throws {
    _ = try CompiledTemplate(template, for: id.namespace)
    try reading { reader in
      try Self.check(precondition, of: id, try TemplateRecords.head(id, reader))
    }
  }

  /// Makes a template the newest version; ABORTED where the precondition does not hold.
  @discardableResult
  package func publish(
    _ template: ConfigTemplate,
    of id: TemplateID,
    _ precondition: TemplatePrecondition,
    by publisher: Publisher
  ) throws -> ServedTemplate {
    let compiled = try CompiledTemplate(template, for: id.namespace)
    return try publish(template, compiled, of: id, depth: publisher.eventDepth) { head, group in
      try Self.check(precondition, of: id, head)
      return TemplateVersion(
        number: head.served + 1,
        updateTime: self.clock.now(),
        author: publisher.author,
        origin: publisher.origin,
        type: precondition == .none ? .forced : .incremental,
        description: template.versionDescription
      )
    }
  }

  /// Makes the template of an earlier version the newest one again; NOT_FOUND where it is not kept.
  @discardableResult
  package func rollBack(
    _ id: TemplateID,
    to number: Int64,
    by publisher: Publisher
  ) throws -> ServedTemplate {
    let (template, _) = try version(number, of: id)
    let compiled = try CompiledTemplate(template, for: id.namespace)
    return try publish(template, compiled, of: id, depth: publisher.eventDepth) { head, group in
      guard head.current != number else {
        throw ServiceError.invalidArgument("Version \(number) is the newest one.")
      }
      return TemplateVersion(
        number: head.served + 1,
        updateTime: self.clock.now(),
        author: publisher.author,
        origin: publisher.origin,
        type: .rollback,
        description: "Rollback to version \(number)",
        rollbackSource: number
      )
    }
  }

  private func publish(
    _ template: ConfigTemplate,
    _ compiled: CompiledTemplate,
    of id: TemplateID,
    depth: Int,
    _ version: (TemplateHead, any KeyValueGroup) throws -> TemplateVersion
  ) throws -> ServedTemplate {
    let follower = follower.withLock { $0 }
    return try writing { group -> (ServedTemplate, TemplateHead) in
      let version = try version(try TemplateRecords.head(id, group), group)
      let head = TemplateHead(
        current: version.number,
        served: version.number,
        nextChange: compiled.nextChange(after: version.updateTime) ?? 0
      )
      try TemplateRecords.put(
        template,
        version,
        of: id,
        head,
        keeping: versionLimit,
        in: group
      )
      try follower?.write(group, id, version, depth)
      let served = ServedTemplate(
        template,
        version,
        of: id,
        served: version.number,
        compiled: compiled
      )
      return (served, head)
    } settled: { [self] in
      serve($0.0, $0.1)
      follower?.landed()
    }.0
  }

  private static func check(
    _ precondition: TemplatePrecondition,
    of id: TemplateID,
    _ head: TemplateHead
  ) throws(ServiceError) {
    guard case .etag(let etag) = precondition, etag != id.etag(head.current) else { return }
    throw ServiceError(
      .aborted,
      "[VERSION_MISMATCH]: The template has changed: its etag is \(id.etag(head.current)), "
        + "not \(etag.prefix(200)). Get the current template, change it and publish again."
    )
  }

  /// A version that is kept; NOT_FOUND for another.
  package func version(
    _ number: Int64,
    of id: TemplateID
  ) throws -> (template: ConfigTemplate, version: TemplateVersion) {
    try reading { reader in
      guard let version = try TemplateRecords.version(id, number, reader),
        let template = try TemplateRecords.body(id, number, reader)
      else {
        throw ServiceError(.notFound, "[VERSION_NOT_FOUND]: There is no version \(number).")
      }
      return (template, version)
    }
  }

  /// Versions from the newest at or below a bound, at most so many.
  package func versions(
    of id: TemplateID,
    atMost bound: Int64 = .max,
    count: Int
  ) throws -> [TemplateVersion] {
    try reading { try TemplateRecords.versions(id, atMost: bound, count: count, $0) }
  }

  /// The templates that there are, by project.
  package func all() throws -> [TemplateID] {
    try reading { try TemplateRecords.heads($0).map(\.0) }
  }
}
