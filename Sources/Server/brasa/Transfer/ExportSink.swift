import Foundation

/// The destination of an export's items.
protocol ExportSink: AnyObject {
  /// Takes an item of a file.
  func take(_ item: [UInt8], of file: String) throws
  /// Makes all durable.
  func close() throws
  /// The lines that were written; of sealed items their number.
  var lineCount: Int { get }
}

/// Items that are lines of a file each.
final class LineSink: ExportSink {
  private let form: TransferForm
  private let directory: ExportDirectory

  /// Lines of a kind, in files of a directory.
  init(_ form: TransferForm, _ directory: ExportDirectory) {
    self.form = form
    self.directory = directory
  }

  func take(_ item: [UInt8], of file: String) throws {
    try directory.append(form.line(item), to: file)
  }

  func close() throws { try directory.close() }

  var lineCount: Int { directory.lineCount }
}
