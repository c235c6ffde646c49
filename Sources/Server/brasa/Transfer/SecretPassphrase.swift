import ArgumentParser
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The source of the passphrase for an export's secrets; shared by export and import.
struct SecretPassphrase: ParsableArguments {
  @Option(
    name: .long,
    help: "A file with the passphrase (default: $BRASA_SECRETS_PASSPHRASE, or a prompt).",
    completion: .file()
  )
  var passphraseFile: String?

  /// The passphrase, from the file, the environment or the terminal, in this order.
  ///
  /// - Parameter isNew: True to ask twice at a terminal.
  func read(
    isNew: Bool,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    let text: String
    if let passphraseFile {
      let content = try String(contentsOfFile: passphraseFile, encoding: .utf8)
      text = String(content.prefix { !$0.isNewline })
    } else if let known = environment["BRASA_SECRETS_PASSPHRASE"] {
      text = known
    } else {
      text = try ask(isNew: isNew)
    }
    guard text.count >= SealedSecrets.shortest else { throw SealedSecrets.Problem.noPassphrase }
    return text
  }

  private func ask(isNew: Bool) throws -> String {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw SealedSecrets.Problem.noPassphrase
    }
    let text = try Self.line("Passphrase: ")
    guard try !isNew || text == Self.line("Once more: ") else {
      throw ValidationError("The two passphrases differ. Start the command again.")
    }
    return text
  }

  /// Reads a line that the terminal does not show.
  private static func line(_ prompt: String) throws -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { throw SealedSecrets.Problem.noPassphrase }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    // After the flush, which drops earlier input: a response to the prompt is not dropped.
    FileHandle.standardError.write(Data(prompt.utf8))
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      FileHandle.standardError.write(Data("\n".utf8))
    }
    return readLine() ?? ""
  }
}
