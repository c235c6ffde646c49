import ArgumentParser
import Crypto
import Foundation
import Gzip
import Hosting

/// The files of a site's folder, packed as they are uploaded.
struct SiteFolder {
  /// A file by its path in the site.
  struct File {
    let path: String
    let url: URL
    let hash: ContentHash
  }

  let files: [File]
  /// Links, which are left out: what they lead to may be anything of the machine.
  let links: Int

  /// Reads a folder, without the files that match one of the globs.
  init(_ folder: URL, ignoring globs: [String]) throws {
    let patterns = try globs.map { try Glob($0.hasPrefix("/") ? String($0.dropFirst()) : $0) }
    let root = folder.standardizedFileURL.path
    guard
      let walk = FileManager.default.enumerator(
        at: folder.standardizedFileURL,
        includingPropertiesForKeys: [.isRegularFileKey, .isSymbolicLinkKey]
      )
    else { throw ValidationError("There is no folder \(root).") }
    var found: [File] = []
    var links = 0
    for case let url as URL in walk {
      let values = try url.resourceValues(forKeys: [.isRegularFileKey, .isSymbolicLinkKey])
      if values.isSymbolicLink == true {
        links += 1
        continue
      }
      guard values.isRegularFile == true, url.path.hasPrefix(root + "/") else { continue }
      let path = String(url.path.dropFirst(root.count + 1))
      guard try !Self.isIgnored(path, by: patterns) else { continue }
      try SitePath.check("/" + path)
      let packed = try Self.packed(url)
      guard let hash = ContentHash(SHA256.hash(data: packed)) else { continue }
      found.append(File(path: "/" + path, url: url, hash: hash))
    }
    guard !found.isEmpty else { throw ValidationError("There are no files in \(root).") }
    files = found.sorted { $0.path < $1.path }
    self.links = links
  }

  /// Returns true if one of the globs is for a file; a file that cannot be decided about stops the deployment.
  private static func isIgnored(_ path: String, by globs: [Glob]) throws -> Bool {
    var work = RuleWork(RuleWork.ofRequest * 10)
    do throws(RuleWork.Exceeded) {
      for glob in globs where try glob.match(path, &work) != nil { return true }
      return false
    } catch {
      throw ValidationError(
        "The globs of \"ignore\" take too much work for \(path). Make them simpler."
      )
    }
  }

  /// The bytes that are uploaded of a file.
  static func packed(_ url: URL) throws -> [UInt8] {
    GzipWriter.packed(Array(try Data(contentsOf: url)))
  }
}

/// Packed files as the items of an upload.
final class SiteUpload {
  private var files: [SiteFolder.File]
  private var rest: (hash: ContentHash, bytes: ArraySlice<UInt8>)?
  private(set) var done = 0
  private static let partBytes = 1 << 20

  init(_ files: [SiteFolder.File]) { self.files = files.reversed() }

  /// The next part; nil behind the last file.
  func next() throws -> [UInt8]? {
    if rest == nil {
      guard let file = files.popLast() else { return nil }
      let bytes = try SiteFolder.packed(file.url)
      guard ContentHash(SHA256.hash(data: bytes)) == file.hash else {
        throw ValidationError("\(file.url.path) changed while it was deployed. Deploy again.")
      }
      rest = (file.hash, bytes[...])
      done += 1
    }
    guard let (hash, bytes) = rest else { return nil }
    let part = bytes.prefix(Self.partBytes)
    let left = bytes.dropFirst(part.count)
    rest = left.isEmpty ? nil : (hash, left)
    return hash.bytes + [left.isEmpty ? 1 : 0] + part
  }
}
