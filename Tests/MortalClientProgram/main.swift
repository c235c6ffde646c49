import Foundation
import ScheduleTestSupport

// A client that does random things over the durable store in a folder until it is killed; a dot on its output for each.

let arguments = CommandLine.arguments
guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
  FileHandle.standardError.write(Data("usage: mortal-client FOLDER SEED\n".utf8))
  exit(64)
}
do {
  var schedule = try MortalSchedule(folder: URL(fileURLWithPath: arguments[1]), seed: seed)
  while true {
    try schedule.step()
    try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
