import BaseJSON
import BaseStatus
import BaseText
import ConfigTemplates
import ServiceModule

extension ServiceStorage {
  /// The templates of all projects; maintenance deletes stored data of installations that is no
  /// longer needed.
  ///
  /// An export has the newest version of each: one line, `{"namespace": "firebase", "template": {…}}`. An import
  /// publishes each as a new version.
  package static func remoteConfig(_ templates: ConfigTemplates) -> ServiceStorage {
    var storage = ServiceStorage("config")
    storage.maintenance = { try templates.forgetAssignments() }
    storage.check = { _, tell in
      let seen = try TemplateVerification.verify(templates) { try tell(.difference($0)) }
      return [
        StorageCount(seen.templates, "template"), StorageCount(seen.versions, "version"),
      ]
    }
    storage.transfers = [transfer(templates)]
    return storage
  }

  private static func transfer(_ templates: ConfigTemplates) -> StorageTransfer {
    StorageTransfer("config") { scope, _, item in
      var count = 0
      for namespace in ConfigNamespace.allCases {
        let id = TemplateID(project: scope.database.project, namespace: namespace)
        guard let served = try templates.load(id) else { continue }
        let line = JSONValue.object([
          .init("namespace", .string(namespace.rawValue)),
          .init("template", served.template.json),
        ])
        try item(StorageItem(file: "templates", bytes: Array(line.compact.utf8)))
        count += 1
      }
      return StorageCount(count, "template")
    } import: { scope, next, tell in
      var count = 0
      var skipped = 0
      // Called at the end: the other side writes all before it reads.
      var refusals: [String] = []
      while let line = try next() {
        let json = try JSONValue(parsing: String(decoding: line, as: UTF8.self))
        let name = json["namespace"]?.string ?? ""
        do {
          let isNew = try publish(json, named: name, in: scope.database.project, templates)
          if isNew { count += 1 } else { skipped += 1 }
        } catch let error as ServiceError {
          guard error.code == .invalidArgument else { throw error }
          refusals.append("\(name): \(error.message)")
        }
      }
      for refusal in refusals { try tell(.difference(refusal)) }
      return StorageCount(count, "template", skipped: skipped)
    }
  }

  /// Publishes a template; false where it is the newest one already.
  private static func publish(
    _ json: JSONValue,
    named name: String,
    in project: Text,
    _ templates: ConfigTemplates
  ) throws -> Bool {
    guard let namespace = ConfigNamespace(rawValue: name), let template = json["template"] else {
      throw ServiceError.invalidArgument("The line is not a template of a namespace.")
    }
    let id = TemplateID(project: project, namespace: namespace)
    let new = try ConfigTemplate(json: template)
    guard try templates.load(id)?.template != new else { return false }
    try templates.publish(new, of: id, .none, by: Publisher())
    return true
  }
}
