/// The sentences about data that no export has.
enum ExportGaps {
  /// The gaps of an export of everything that a project has.
  static let ofProject = """
    Older rulesets, older versions of Remote Config templates, registrations and messages of push, and the server's own \
    settings: administrators, service accounts' keys, certificates and its mail server.
    """

  /// The other databases of a project, which have exports of their own.
  static func others(_ databases: [String]) -> String {
    "The project's other databases: \(databases.joined(separator: ", ")). Export each with --database."
  }
}
