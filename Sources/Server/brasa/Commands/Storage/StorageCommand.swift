import ArgumentParser

/// The command `brasa storage`.
struct StorageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage",
    abstract: "List, copy and delete the files of buckets, and set quotas.",
    discussion: """
      Objects are named as gs://BUCKET/NAME; a name that ends with a slash, or a bucket alone, is a folder.

      Examples:
        brasa storage ls --project shop
        brasa storage ls -l gs://shop.appspot.com/users/
        brasa storage cp photo.jpg gs://shop.appspot.com/users/ana/
        brasa storage cp -r gs://shop.appspot.com/users/ana backup/ana
        brasa storage rm -r gs://shop.appspot.com/users/ana
        brasa storage usage --project shop
        brasa storage quota gs://shop.appspot.com 50GB
      """,
    subcommands: [
      StorageListCommand.self, StorageCopyCommand.self, StorageRemoveCommand.self,
      StorageStatCommand.self, StorageUsageCommand.self, StorageQuotaCommand.self,
      StorageAssignCommand.self,
    ]
  )
}

/// Reads the URLs that the commands on a bucket take.
enum StorageURL {
  /// The path of a URL; throws where it is none.
  static func path(_ url: String) throws -> StoragePath {
    guard let path = StoragePath(url: url) else {
      throw ValidationError("\(url) must have the form gs://BUCKET/NAME.")
    }
    return path
  }

  /// The path of an object's URL.
  static func object(_ url: String) throws -> StoragePath {
    let path = try path(url)
    guard !path.isFolder else {
      throw ValidationError(
        "\(url) is a folder. Name an object, or add -r for everything below it."
      )
    }
    return path
  }
}

/// `brasa storage ls`.
struct StorageListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "List buckets, or the objects below a URL.",
    discussion: """
      Without a URL the project's buckets are listed. Names are listed up to the next slash, with -r all of them; \
      -l shows sizes in bytes and times.

      Example:
        brasa storage ls -l gs://shop.appspot.com/users/
      """
  )

  @Argument(help: "The prefix of the names: gs://BUCKET[/PREFIX].") var url: String?
  @Flag(name: [.short, .customLong("recursive")], help: "Also list the objects in folders.")
  var recursive = false
  @Flag(name: [.short, .customLong("long")], help: "Show sizes and times.") var long = false
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    guard let url else {
      return try printReplies(.storage(.buckets(project: try project.id())), of: data)
    }
    let path = try StorageURL.path(url)
    try printReplies(.storage(.list(path, isRecursive: recursive, isLong: long)), of: data)
  }
}

/// `brasa storage stat`.
struct StorageStatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat",
    abstract: "Show an object's metadata.",
    discussion: """
      Example:
        brasa storage stat gs://shop.appspot.com/users/ana/1.jpg
      """
  )

  @Argument(help: "The object: gs://BUCKET/NAME.") var url: String
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.storage(.stat(try StorageURL.object(url))), of: data) }
}

/// `brasa storage usage`.
struct StorageUsageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usage",
    abstract: "Show the number of bytes and objects in buckets.",
    discussion: """
      Older versions, and deleted objects that can be restored, count.

      Examples:
        brasa storage usage --project shop
        brasa storage usage gs://shop.appspot.com
      """
  )

  @Argument(help: "One bucket: gs://BUCKET (default: all of the project).") var url: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let bucket = try url.map { try StorageURL.path($0).bucket }
    let project = bucket == nil ? try project.id() : nil
    try printReplies(.storage(.usage(bucket: bucket, project: project)), of: data)
  }
}

/// `brasa storage rm`.
struct StorageRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Delete an object, or with -r everything in a folder.",
    discussion: """
      A bucket with versioning keeps the versions of deleted objects.

      Examples:
        brasa storage rm gs://shop.appspot.com/users/ana/1.jpg
        brasa storage rm -r gs://shop.appspot.com/users/ana
      """
  )

  @Argument(help: "The object or the folder: gs://BUCKET/NAME.") var url: String
  @Flag(name: [.short, .customLong("recursive")], help: "Delete everything in the folder.")
  var recursive = false
  @OptionGroup var data: DataOptions

  func run() throws {
    let path = recursive ? try StorageURL.path(url) : try StorageURL.object(url)
    let progress = ProgressLine()
    try data.perform(.storage(.remove(path, isRecursive: recursive))) { reply in
      switch reply {
      case .progress(let done, let total, let unit):
        progress.show(done: done, total: total, unit: unit)
      case .line(let text), .difference(let text), .finished(let text): progress.print(text)
      case .item, .omission, .counted, .failed: break
      }
    }
  }
}
