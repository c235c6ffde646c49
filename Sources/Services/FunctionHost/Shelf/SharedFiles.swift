import Crypto
import Foundation

/// A file of deployments, sources or secrets in the store that several machines share.
package struct SharedFile: Sendable, Hashable {
  /// The SHA-256 of the bytes.
  package let digest: [UInt8]
  /// True for a program.
  package let isExecutable: Bool

  /// A file of those bytes.
  package init(digest: [UInt8], isExecutable: Bool) {
    (self.digest, self.isExecutable) = (digest, isExecutable)
  }
}

/// Keeps the files of functions where the next machine finds them; calls block.
package protocol SharedFunctionFiles: Sendable {
  /// The files by their paths below the host's folder; nil if there are none.
  func list() throws -> [String: SharedFile]?

  /// The bytes of a file; throws where they are gone.
  func read(_ file: SharedFile) throws -> [UInt8]

  /// Makes these the files, all at once; `bytes` gives those that are new.
  func replace(_ files: [String: SharedFile], bytes: (_ path: String) throws -> [UInt8]) throws
}

/// Brings the host's folder and the shared files together.
struct FolderMirror: Sendable {
  let folder: DeploymentFolder
  let shared: any SharedFunctionFiles

  /// The folders that deployments need on another machine.
  ///
  /// Packages are installed there, and logs stay where they were written.
  private static let parts = ["deployments", "releases", "sources", "secrets"]

  private var root: String { folder.configuration.directory }

  /// Has the shared files be those of the folder.
  func publish() throws {
    let files = try local()
    if files.isEmpty, try shared.list() == nil { return }
    try shared.replace(files) { path in
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")))
    }
  }

  /// Makes the folder's files the shared ones; without shared files, those of the folder stay.
  func fetch() throws {
    guard let wanted = try shared.list() else { return try publish() }
    let files = try local()
    // A source is there whole before a deployment names it.
    for (path, file) in wanted.sorted(by: { Self.order($0.key) < Self.order($1.key) })
    where files[path] != file {
      let full = "\(root)/\(path)"
      try FileManager.default.createDirectory(
        atPath: (full as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      try SafeFile.write(Data(try shared.read(file)), to: full)
      let mode = file.isExecutable ? 0o755 : path.hasPrefix("sources/") ? 0o644 : 0o600
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: full)
    }
    for path in files.keys where wanted[path] == nil {
      try FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }
  }

  private static func order(_ path: String) -> (Int, String) {
    (
      ["sources", "secrets", "releases", "deployments"].firstIndex { path.hasPrefix($0) } ?? 0, path
    )
  }

  /// The files of the folder.
  private func local() throws -> [String: SharedFile] {
    var files: [String: SharedFile] = [:]
    for part in Self.parts {
      guard let found = FileManager.default.enumerator(atPath: "\(root)/\(part)") else { continue }
      while let below = found.nextObject() as? String {
        let path = "\(part)/\(below)"
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
        // The links to a source's packages are made where it is loaded.
        guard attributes[.type] as? FileAttributeType == .typeRegular, !path.hasSuffix(".new")
        else { continue }
        let mode = (attributes[.posixPermissions] as? Int) ?? 0
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)"))
        files[path] = SharedFile(
          digest: Array(SHA256.hash(data: bytes)),
          isExecutable: mode & 0o100 != 0
        )
      }
    }
    return files
  }
}

extension FunctionHost {
  /// Keeps what changed where the next machine finds it.
  func publish() throws { try mirror?.publish() }

  /// Takes another machine's deployment; retries until it is there or the task is cancelled.
  func fetchShared() async {
    guard let mirror else { return }
    while !Task.isCancelled {
      do {
        return try mirror.fetch()
      } catch {
        log.error("functions could not be read from the store", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }
}
