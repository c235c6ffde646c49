import ArgumentParser
import Foundation

/// The flags of `brasa serve` that name a folder of the emulators.
struct SeedFlags: ParsableArguments {
  @Option(
    name: .customLong("import"),
    help: """
      With --dev, read a folder that the emulators or brasa export --format firebase wrote, before the port opens. [BRASA_IMPORT]
      """
  )
  var importFolder: String?

  @Option(
    name: .customLong("export-on-exit"),
    defaultAsFlag: "",
    parsing: .next,
    help: ArgumentHelp(
      """
      With --dev, write the emulators' folder when the server ends; without a name, to the folder of --import. \
      [BRASA_EXPORT_ON_EXIT]
      """,
      valueName: "folder"
    )
  )
  var exportOnExit: String? = nil
}

/// The folder that a development server reads when it starts, and the one that it writes when it ends.
struct SeedSettings: Sendable, Equatable {
  let source: String?
  let target: String?

  /// Merges the flags with the environment; refuses them outside of development.
  init(_ flags: SeedFlags, _ environment: EnvironmentReader, isDevelopment: Bool) throws {
    source = flags.importFolder ?? environment.text("IMPORT")
    let named = flags.exportOnExit ?? environment.text("EXPORT_ON_EXIT")
    guard let named, !named.isEmpty else {
      guard named == nil || source != nil else {
        throw ValidationError("Name the folder of --export-on-exit, or that of --import.")
      }
      target = named == nil ? nil : source
      try check(isDevelopment: isDevelopment)
      return
    }
    target = named
    try check(isDevelopment: isDevelopment)
  }

  private func check(isDevelopment: Bool) throws {
    guard isDevelopment || (source == nil && target == nil) else {
      throw ValidationError(
        "--import and --export-on-exit need --dev. Elsewhere, run brasa import and brasa export."
      )
    }
  }

  /// Throws where the folders cannot be meant, before anything is read or written.
  func check() throws {
    if let source, !Self.isSeed(source) {
      let isNew = !FileManager.default.fileExists(atPath: source) || Self.isEmpty(source)
      guard isNew, target != nil else {
        throw ValidationError(
          "\(source) is not an export of the emulators: it has no \(EmulatorFolder.index)."
        )
      }
    }
    guard let target, FileManager.default.fileExists(atPath: target) else {
      return
    }
    guard Self.isSeed(target) || Self.isEmpty(target) else {
      throw ValidationError(
        "\(target) has other files, which --export-on-exit would replace. Name another folder."
      )
    }
  }

  /// Returns true if a folder is an export of the emulators.
  static func isSeed(_ folder: String) -> Bool {
    EmulatorFolder.isFolder(URL(fileURLWithPath: folder, isDirectory: true))
  }

  private static func isEmpty(_ folder: String) -> Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty ?? false
  }
}
