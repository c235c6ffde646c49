import ArgumentParser

/// `brasa storage quota`.
struct StorageQuotaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quota",
    abstract: "Show or set a bucket's quota in bytes.",
    discussion: """
      Uploads that would exceed it are refused; existing objects stay. Older versions, and deleted \
      objects that can be restored, count. BRASA_STORAGE_QUOTA bounds all buckets of a project together.

      Examples:
        brasa storage quota gs://shop.appspot.com
        brasa storage quota gs://shop.appspot.com 50GB
        brasa storage quota gs://shop.appspot.com none
      """
  )

  @Argument(help: "The bucket: gs://BUCKET.") var url: String
  @Argument(help: "Bytes, as 500000, 20MB or 50GB, or none.") var quota: String?
  @OptionGroup var data: DataOptions

  func run() throws {
    let path = try StorageURL.path(url)
    guard path.name.isEmpty else {
      throw ValidationError("\(url) is not a bucket. Use the form gs://BUCKET.")
    }
    try printReplies(.storage(.quota(bucket: path.bucket, try change())), of: data)
  }

  private func change() throws -> QuotaChange {
    guard let quota else { return .keep }
    if quota == "none" { return .remove }
    guard let size = ByteSize(quota) else {
      throw ValidationError("\(quota) is not a number of bytes such as 500000, 20MB or 50GB.")
    }
    return .bytes(size.bytes)
  }
}
