import BaseStatus
import BaseText

/// Finds the project that a client's API key belongs to.
package struct ProjectKeys: Sendable {
  /// The project of keys that name none; nil refuses them.
  package let defaultProject: Text?
  /// True if any key will do, and the path says which project is meant.
  package let takesAnyKey: Bool
  /// Returns true if there is such a project; blocks.
  package let isProject: @Sendable (Text) throws -> Bool

  /// The rules for keys.
  package init(
    defaultProject: Text?,
    takesAnyKey: Bool,
    isProject: @escaping @Sendable (Text) throws -> Bool
  ) {
    self.defaultProject = defaultProject
    self.takesAnyKey = takesAnyKey
    self.isProject = isProject
  }

  /// The project that a key belongs to, and a path names by its id or, as iOS does, by a number.
  ///
  /// Blocks.
  ///
  /// - Parameter knows: Returns true if the service has something of a project, from memory.
  package func project(
    key: String?,
    path: Text,
    knows: (Text) -> Bool = { _ in false }
  ) throws -> Text {
    guard let key, !key.isEmpty else {
      throw ServiceError(.permissionDenied, "The request is missing a valid API key.")
    }
    let named = Text(key)
    if takesAnyKey { return !knows(path) && knows(named) ? named : path }
    let isNamed = try knows(named) || isProject(named)
    guard let project = isNamed ? named : defaultProject else {
      throw ServiceError.invalidArgument("API key not valid. Please pass a valid API key.")
    }
    let isNumber = path.string.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard path == project || isNumber else {
      throw ServiceError(
        .permissionDenied,
        "The API key does not belong to the project \(path.string.prefix(100))."
      )
    }
    return project
  }
}
