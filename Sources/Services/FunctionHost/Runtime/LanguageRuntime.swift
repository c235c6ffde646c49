import BaseJSON
import BaseStatus
import Crypto
import Foundation

/// The languages of codebases.
package enum SourceLanguage: String, Sendable, CaseIterable {
  case python, node, swift

  /// The file that a source of the language has at its top.
  var mark: String {
    switch self {
    case .python: "main.py"
    case .node: "package.json"
    case .swift: "Package.swift"
    }
  }

  /// The language of a source; nil where it has none of the files that say so.
  ///
  /// A program that was built elsewhere counts as Swift.
  init?(of source: SourceTree) {
    let found = Self.allCases.first { language in
      source.files.contains { $0.path == language.mark }
    }
    let isBuilt = source.files.contains { $0.path == SwiftRuntime.program && $0.isExecutable }
    guard let language = found ?? (isBuilt ? .swift : nil) else { return nil }
    self = language
  }

  /// The language of a folder of installed packages, whose name begins with it.
  init?(ofEnvironment name: String) {
    self.init(rawValue: String(name.prefix { $0 != "-" }))
  }
}

/// Installs and runs the codebases of one language.
protocol LanguageRuntime: Sendable {
  /// True where its programs refuse requests without the key in `BRASA_CALL_KEY`.
  var asksForCallKey: Bool { get }

  /// Finds the program that the operator named; runs it with the server's rights.
  func interpreter() async throws -> Interpreter

  /// The name of the folder of what a source needs, which begins with the language.
  func environment(of source: SourceTree, _ interpreter: Interpreter) throws -> String

  /// Installs what a source needs, unless an earlier deployment did; returns the folder's name.
  ///
  /// Two installations of one name must not run at one time. Projects share a folder: nothing of a source that its name leaves out may reach the installation, whose programs run with
  /// the rights of every project that finds it.
  ///
  /// - Parameter cache: The folder of what the project's installations fetched, which they write.
  func install(
    _ source: SourceTree,
    _ interpreter: Interpreter,
    scratch: String,
    cache: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> String

  /// Asks the SDK of a source for its functions.
  func discover(
    _ deployment: (source: String, environment: String),
    _ interpreter: Interpreter,
    variables: [String: String],
    scratch: String,
    tell: @escaping @Sendable (String) -> Void
  ) async throws -> JSONValue

  /// The program that serves one function.
  func server(
    source: String,
    environment: String,
    _ interpreter: Interpreter,
    endpoint: FunctionEndpoint,
    scratch: String
  ) -> ConfinedProgram
}

/// The program that runs sources of a language, and the folders that it needs.
struct Interpreter: Sendable {
  let executable: String
  let folders: [String]
  let version: String
  /// The program that installs packages, where it is one of its own.
  var installer = ""
}

extension LanguageRuntime {
  /// Throws INVALID_ARGUMENT with the last lines of a program that failed.
  func check(_ result: ProgramRunner.Result, _ failure: String) throws {
    guard result.isSuccess else {
      throw ServiceError.invalidArgument("\(failure): it \(result.end.text).\n\(result.tail)")
    }
  }

  /// Reads the manifest that discovery has left in a file.
  func manifest(_ result: ProgramRunner.Result, at path: String) throws -> JSONValue {
    guard result.isSuccess, let text = SafeFile.read(path, upTo: ManifestReader.longestText)
    else {
      throw ServiceError.invalidArgument(
        "The functions of the source can't be found:\n\(result.tail)"
      )
    }
    return try JSONParser.parse(text, maximumDepth: 64)
  }

  /// Passes on the server's variables by which an operator says where packages come from, with the files that they name.
  func passOn(_ names: [String], to program: inout ConfinedProgram) {
    for name in names {
      guard let value = ProcessInfo.processInfo.environment[name] else { continue }
      program.environment[name] = value
      // Files and folders that the operator named.
      program.readable += value.split(separator: " ").map(String.init).filter { $0.hasPrefix("/") }
    }
  }

  /// The name of a folder of packages that these parts decide about.
  static func environmentName(_ language: SourceLanguage, _ parts: String...) -> String {
    var hash = SHA256()
    hash.update(data: Data(parts.joined(separator: "\n").utf8))
    let digits = hash.finalize().prefix(12).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    return "\(language.rawValue)-" + digits.joined()
  }
}
