import Brotli
import Gzip

extension Hosting {
  /// The largest file that is compressed as Brotli.
  private static let largestForBrotli: Int64 = 1 << 20

  /// The bytes of a file as Brotli, which memory has from the first request on; nil where they are not smaller than gzip, and
  /// while another file is compressed: visitors cannot keep more than one thread busy with that.
  package func brotli(_ file: HostedFile) async throws -> [UInt8]? {
    if let known = brotli[file.hash] { return known.isEmpty ? nil : known }
    guard file.unpackedSize <= Self.largestForBrotli, file.size <= ContentMemory.largest,
      !isCompressing.exchange(true, ordering: .acquiringAndReleasing)
    else { return nil }
    defer { isCompressing.store(false, ordering: .releasing) }
    guard case .bytes(let packed) = try await content(file.hash) else { return nil }
    let made = try await threads.run(on: .files) {
      let text = try GzipReader.unpacked(packed, limit: file.unpackedSize)
      let smaller = BrotliWriter.packed(text) ?? []
      return smaller.count < packed.count ? smaller : []
    }
    brotli.keep(made, of: file.hash)
    return made.isEmpty ? nil : made
  }
}
