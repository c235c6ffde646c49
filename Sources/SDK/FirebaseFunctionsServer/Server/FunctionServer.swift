import BaseJSON
import Foundation

/// The program of a codebase: says which functions it has, and serves the one that the host asks for.
///
/// ```swift
/// @main struct Shop {
///   static func main() async throws {
///     try await FunctionServer([
///       .onRequest("hello") { _ in .text("Hello") }
///     ]).run()
///   }
/// }
/// ```
public struct FunctionServer: Sendable {
  private let functions: [Function]

  /// A program with these functions, whose names differ.
  public init(_ functions: [Function]) { self.functions = functions }

  /// Does what the host asks by the environment, until it ends the process.
  ///
  /// With `FUNCTIONS_MANIFEST_OUTPUT_PATH` it writes the manifest there. With `FUNCTION_TARGET` and `PORT` it serves that
  /// function.
  ///
  /// - Throws: ``FunctionError`` where the environment asks for neither.
  public func run() async throws {
    StandardOutput.writeByLines()
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["FUNCTIONS_MANIFEST_OUTPUT_PATH"] {
      try Data(manifest.compactBytes).write(to: URL(fileURLWithPath: path))
      return
    }
    guard let target = environment["FUNCTION_TARGET"],
      let port = environment["PORT"].flatMap(Int.init)
    else {
      throw FunctionError(
        .failedPrecondition,
        "Only Brasa can start this program. Deploy it with brasa functions deploy DIR."
      )
    }
    guard let function = functions.first(where: { $0.name == target }) else {
      throw FunctionError(.notFound, "The program has no function \(target).")
    }
    try await FunctionListener(function, callKey: environment["BRASA_CALL_KEY"]).serve(port: port)
  }

  /// The manifest of the functions, as Google's SDKs write theirs.
  var manifest: JSONValue {
    .object([
      .init("specVersion", .string("v1alpha1")),
      .init("endpoints", .object(functions.map { .init($0.name, $0.endpoint) })),
      .init("params", .array([])), .init("requiredAPIs", .array([])),
    ])
  }

  /// The bucket that the host names for the project.
  static var defaultBucket: String {
    let text = ProcessInfo.processInfo.environment["FIREBASE_CONFIG"] ?? ""
    let configuration = try? JSONParser.parse(Array(text.utf8))
    return configuration?["storageBucket"]?.string ?? ""
  }

  /// Writes an error where the function's log has it.
  static func report(_ error: any Error) {
    let text = (error as? FunctionError)?.message ?? String(describing: error)
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
