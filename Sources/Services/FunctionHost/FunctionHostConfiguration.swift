/// The settings of a host of functions.
package struct FunctionHostConfiguration: Sendable {
  /// The folder of sources, deployments and secrets: `functions/` of the data directory.
  package var directory: String
  /// The server's data, which no function may reach.
  package var dataDirectory: String
  /// The folder of installed packages, which several servers may share.
  package var environments: String
  /// True where no other server has the folder of installed packages.
  var ownsEnvironments: Bool { environments == directory + "/environments" }
  /// The file of the key that seals secrets.
  package var keyFile: String
  /// True where the server checks no credentials and functions may run without confinement.
  package var isDevelopment: Bool
  /// True for one of several nodes: functions run at one of them, and every one signs people in.
  package var isClustered = false
  /// The interpreter of Python, a path or a name in PATH.
  package var python = "python3"
  /// The interpreter of Node, a path or a name in PATH.
  package var node = "node"
  /// The compiler of Swift, a path or a name in PATH.
  package var swift = "swift"
  /// Seconds for which an instance without calls is kept.
  package var idleSeconds = 300.0
  /// Seconds between SIGTERM and SIGKILL.
  package var graceSeconds = 10.0
  /// Seconds in which an instance has to take connections.
  package var startSeconds = 30.0
  /// The most instances of all functions.
  package var mostInstances = 64
  /// The most calls that wait for an instance of one function.
  package var mostWaiting = 1_000
  /// The bucket that `FIREBASE_CONFIG` names for a project.
  package var bucket: @Sendable (_ project: String) -> String = { "\($0).appspot.com" }

  /// The settings of a server with its data in that directory.
  package init(dataDirectory: String, isDevelopment: Bool) {
    self.dataDirectory = dataDirectory
    directory = dataDirectory + "/functions"
    environments = directory + "/environments"
    keyFile = dataDirectory + "/functions.key"
    self.isDevelopment = isDevelopment
  }
}
