import Foundation

// Measures the SDK beside a server of this machine, a row of the report in a process of its own:
//
//     BRASA_BINARY=… sdk-benchmark [--quick]            prints the report as a table in Markdown
//     sdk-benchmark ROW URL PROJECT STATE SIZE          measures one row and prints its figures in milliseconds or bytes
//
// Build it in release mode, and the server too.

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  if arguments.count == 5, let row = Row(rawValue: arguments[0]), let size = Int(arguments[4]) {
    let client = try BenchmarkClient(
      url: arguments[1],
      project: arguments[2],
      state: URL(fileURLWithPath: arguments[3])
    )
    let figures = try await Measurement(client: client, size: size).measure(row)
    print(figures.map { "\($0)" }.joined(separator: " "))
  } else if arguments.isEmpty || arguments == ["--quick"] {
    try await Report(isQuick: !arguments.isEmpty).run()
  } else {
    FileHandle.standardError.write(Data("usage: sdk-benchmark [--quick]\n".utf8))
    exit(64)
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
