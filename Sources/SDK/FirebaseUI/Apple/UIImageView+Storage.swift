#if canImport(UIKit) && !os(watchOS)
import FirebaseStorage
import UIKit

extension UIImageView {
  /// Shows an image of Storage as soon as it is there.
  public func sd_setImage(with storageRef: StorageReference, placeholderImage: UIImage? = nil) {
    sd_setImage(with: storageRef, placeholderImage: placeholderImage, completion: nil)
  }

  /// Shows an image of Storage as soon as it is there, until then another one, and calls back on the main queue.
  public func sd_setImage(
    with storageRef: StorageReference,
    placeholderImage: UIImage?,
    completion: ((UIImage?, (any Error)?, SDImageCacheType, StorageReference) -> Void)?
  ) {
    image = placeholderImage
    Task { @MainActor [weak self] in
      do {
        let (data, type) = try await StorageImageLoader.shared.imageData(of: storageRef)
        guard let loaded = UIImage(data: data) else { throw URLError(.cannotDecodeContentData) }
        self?.image = loaded
        completion?(loaded, nil, type, storageRef)
      } catch {
        completion?(nil, error, .none, storageRef)
      }
    }
  }
}
#endif
