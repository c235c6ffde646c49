import BaseRuntime

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension FileCall {
  /// Has a part of a file be in the system's memory; throws where the file does not have all of it.
  ///
  /// Blocks as long as the disk takes, and copies nothing where the part is in memory already.
  static func load(_ descriptor: Int32, _ range: Range<Int64>, _ path: String) throws {
    BlockingCheck.assertMayBlock()
    guard try size(descriptor, path) >= range.upperBound else {
      throw ObjectContent.endsTooEarly
    }
    guard !isInMemory(descriptor, range) else { return }
    var position = range.lowerBound
    while position < range.upperBound {
      let count = Int(min(range.upperBound - position, loadStep))
      let bytes = try read(descriptor, at: position, count: count, path)
      guard bytes.count == count else { throw ObjectContent.endsTooEarly }
      position += Int64(count)
    }
  }

  private static let loadStep: Int64 = 128 << 10

  /// Returns true if all pages of a part are in the system's memory; false also where the system
  /// does not say.
  private static func isInMemory(_ descriptor: Int32, _ range: Range<Int64>) -> Bool {
    #if os(Linux)
    let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
    guard page > 0, !range.isEmpty else { return false }
    let start = range.lowerBound / page * page
    let length = Int(range.upperBound - start)
    guard let pages = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, off_t(start)),
      pages != MAP_FAILED
    else { return false }
    defer { munmap(pages, length) }
    return withUnsafeTemporaryAllocation(
      of: UInt8.self,
      capacity: (length - 1) / Int(page) + 1
    ) { states in
      guard mincore(pages, length, states.baseAddress) == 0 else { return false }
      return states.allSatisfy { $0 & 1 == 1 }
    }
    #else
    return false
    #endif
  }
}
