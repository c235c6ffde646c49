import ArgumentParser

/// The settings for serving functions.
struct FunctionSettings: Sendable, Equatable {
  /// True if functions are served.
  let isServed: Bool
  /// A folder of functions that is deployed at the start and whenever it changes; for development.
  let developedFolder: String?
  /// The interpreter of Python.
  let python: String?
  /// The interpreter of Node.
  let node: String?
  /// The compiler of Swift.
  let swift: String?
  /// The folder of installed packages; nil is in the data directory.
  let environments: String?
  /// The file of the key that seals secrets; nil is in the data directory.
  let keyFile: String?
  /// The most instances of all functions; nil leaves it to the host.
  let mostInstances: Int?

  /// Reads `--functions` and `BRASA_FUNCTIONS…`.
  init(_ flag: String?, _ environment: EnvironmentReader, isDevelopment: Bool) throws {
    switch flag ?? environment.text("FUNCTIONS") ?? "false" {
    case "false", "0", "no", "off": (isServed, developedFolder) = (false, nil)
    case "true", "1", "yes", "on": (isServed, developedFolder) = (true, nil)
    case let folder:
      guard isDevelopment else {
        throw ValidationError(
          """
          --functions \(folder) deploys a folder whenever it changes, which is for --dev. In production start with \
          --functions and run: brasa functions deploy \(folder)
          """
        )
      }
      (isServed, developedFolder) = (true, folder)
    }
    python = environment.text("FUNCTIONS_PYTHON")
    node = environment.text("FUNCTIONS_NODE")
    swift = environment.text("FUNCTIONS_SWIFT")
    environments = environment.text("FUNCTIONS_ENVIRONMENTS")
    keyFile = environment.text("FUNCTIONS_KEY_FILE")
    mostInstances = try environment.number("FUNCTIONS_INSTANCES")
    if let mostInstances, !(1...10_000).contains(mostInstances) {
      throw ValidationError("BRASA_FUNCTIONS_INSTANCES must be between 1 and 10000.")
    }
  }
}
