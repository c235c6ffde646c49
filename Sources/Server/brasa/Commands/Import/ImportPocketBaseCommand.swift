import ArgumentParser
import ForeignExports
import Foundation

/// The command `brasa import pocketbase`.
struct ImportPocketBaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pocketbase",
    abstract: "Read PocketBase's data folder.",
    discussion: """
      Records become documents of a collection of the same name, with their ids, and relations become references. Records of \
      auth collections become accounts, too, with their passwords and linked providers. Files go to the project's default \
      bucket as COLLECTION/RECORD/FILE, which is the text of their fields.

      The rules of PocketBase's API are printed: write security rules for them by hand. Superusers, settings and views are \
      not read. A running PocketBase may go on: its database is read as it is at one time.

      The command exits with 1 if anything was dropped. Run it again after an interruption.

      Example:
        brasa import pocketbase pb_data --project shop
      """
  )

  @Argument(help: "The data folder, which contains data.db.", completion: .directory)
  var folder: String
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  func run() throws {
    let label = try database.label()
    let root = URL(fileURLWithPath: folder, isDirectory: true).resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: "\(root.path)/\(PocketBaseFolder.database)") else {
      throw ValidationError(
        "There is no \(PocketBaseFolder.database) in \(folder). Name PocketBase's data folder."
      )
    }
    var reading = ImportRun(label: label, source: folder, data: data, manifest: nil)
    try reading.readPocketBase(root)
    try reading.finish()
  }
}
