import Access
import FirestoreModel
import KeyValueStore

/// What the console needs of the program around it.
package struct ConsoleEnvironment: Sendable {
  /// The choke point, which says who calls.
  let access: AccessControl
  /// Where blocking work runs.
  let threads: EngineThreads
  /// Whether everybody who reaches the server may use the console, without signing in.
  let isDevelopment: Bool
  /// The project that an empty server begins with.
  let defaultProject: String
  /// The version of the program, which the page shows.
  let version: String
  /// The projects that have anything on this server; blocks.
  let projects: @Sendable () throws -> Set<Text>
  /// The services that the server has, by the names of their modules: a page without its service is not shown.
  package var services: [String] = []
  /// Where the files are read from anew with each request, while the console is developed; nil takes those of
  /// the binary.
  package var directory: String?

  /// The environment of a console.
  package init(
    access: AccessControl,
    threads: EngineThreads,
    isDevelopment: Bool,
    defaultProject: String,
    version: String,
    projects: @escaping @Sendable () throws -> Set<Text>
  ) {
    self.access = access
    self.threads = threads
    self.isDevelopment = isDevelopment
    self.defaultProject = defaultProject
    self.version = version
    self.projects = projects
  }
}
