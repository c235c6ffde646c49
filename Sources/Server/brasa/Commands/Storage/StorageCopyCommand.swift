import ArgumentParser
import Foundation

/// `brasa storage cp`.
struct StorageCopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cp",
    abstract: "Copy files to a bucket, from one, or between two.",
    discussion: """
      One side or both are gs://BUCKET/NAME. A target that is a folder (a directory, a bucket, or a name that \
      ends with a slash) gets the file under its own name. With -r what is in the source's folder comes to be in the \
      target's, with the folders below. Every file is whole or not there: bytes are compared by their CRC32C. \
      Names that would leave the target's directory are refused; what is copied already stays, and a \
      repeated copy replaces it.

      Examples:
        brasa storage cp photo.jpg gs://shop.appspot.com/users/ana/
        brasa storage cp gs://shop.appspot.com/users/ana/1.jpg .
        brasa storage cp -r photos gs://shop.appspot.com/users/ana
        brasa storage cp -r gs://shop.appspot.com/users/ana gs://archive.appspot.com/ana
      """
  )

  @Argument(help: "The source: a file, a directory, or gs://BUCKET/NAME.", completion: .file())
  var source: String
  @Argument(help: "Where to.", completion: .file()) var target: String
  @Flag(name: [.short, .customLong("recursive")], help: "Copy everything in a folder.")
  var recursive = false
  @Option(name: .long, help: "The content type of uploaded files (default: by the file extension).")
  var contentType: String?
  @OptionGroup var data: DataOptions

  func run() throws {
    switch (StoragePath(url: source), StoragePath(url: target)) {
    case (nil, let target?): try upload(to: target)
    case (let source?, nil): try download(source)
    case (let source?, let target?): try copy(source, target)
    case (nil, nil):
      throw ValidationError("One side must have the form gs://BUCKET/NAME.")
    }
  }

  private func upload(to target: StoragePath) throws {
    let files = try UploadFiles(
      source,
      to: recursive ? target.folder : target,
      isRecursive: recursive,
      contentType: contentType
    )
    let progress = ProgressLine()
    try data.perform(
      .storage(.write(bucket: target.bucket)),
      input: {
        progress.show(done: files.bytesRead, total: files.bytesTotal, unit: "byte")
        return try files.next()
      },
      output: { Self.show($0, progress) }
    )
  }

  private func download(_ source: StoragePath) throws {
    let path = recursive ? source : try StorageURL.object(self.source)
    let files = DownloadFiles(
      target,
      below: recursive ? path.folder.name : nil,
      isDirectory: recursive || Self.isDirectory(target)
    )
    let progress = ProgressLine()
    try data.perform(.storage(.read(path, isRecursive: recursive))) { reply in
      guard case .item(_, let bytes) = reply else { return Self.show(reply, progress) }
      if let refused = try files.take(bytes) { progress.print(refused) }
      // The remaining contents of a folder are unknown.
      let total = recursive ? nil : files.bytesTotal
      progress.show(done: files.bytesWritten, total: total, unit: "byte")
    }
    if files.refusedCount > 0 { throw ExitCode(1) }
  }

  private func copy(_ source: StoragePath, _ target: StoragePath) throws {
    var target = target
    if !recursive {
      _ = try StorageURL.object(self.source)
      if target.isFolder { target.name += source.name.split(separator: "/").last ?? "" }
    }
    let progress = ProgressLine()
    try data.perform(.storage(.copy(source, to: target, isRecursive: recursive))) {
      Self.show($0, progress)
    }
  }

  private static func show(_ reply: AdministrationReply, _ progress: ProgressLine) {
    switch reply {
    case .progress(let done, let total, let unit):
      progress.show(done: done, total: total, unit: unit)
    case .line(let text), .difference(let text), .finished(let text): progress.print(text)
    case .item, .omission, .counted, .failed: break
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    return path.hasSuffix("/") || exists && isDirectory.boolValue
  }
}
