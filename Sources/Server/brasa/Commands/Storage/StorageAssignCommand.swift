import ArgumentParser

/// `brasa storage assign`.
struct StorageAssignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assign",
    abstract: "Assign a bucket that another project created to the project that owns its name.",
    discussion: """
      PROJECT.appspot.com and PROJECT.firebasestorage.app are that project's. A server of an earlier version let others \
      make them; brasa verify names such buckets, which nobody reaches. The bucket comes with its objects, which are \
      whatever the other project put there.

      Example:
        brasa storage assign gs://shop.appspot.com
      """
  )

  @Argument(help: "The bucket: gs://BUCKET.") var url: String
  @OptionGroup var data: DataOptions

  func run() throws {
    let path = try StorageURL.path(url)
    guard path.name.isEmpty else {
      throw ValidationError("\(url) is not a bucket. Use the form gs://BUCKET.")
    }
    try printReplies(.storage(.assign(bucket: path.bucket)), of: data)
  }
}
