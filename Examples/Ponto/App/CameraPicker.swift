#if canImport(UIKit) && canImport(SwiftUI)
import SwiftUI
import UIKit

/// The front camera with its editor; the photo library where there is no camera.
struct CameraPicker: UIViewControllerRepresentable {
  /// Called once: with the photo as JPEG, or nil when the person gave up.
  let onEnd: @MainActor (Data?) -> Void

  func makeUIViewController(context: Context) -> UIImagePickerController {
    let picker = UIImagePickerController()
    if UIImagePickerController.isSourceTypeAvailable(.camera) {
      picker.sourceType = .camera
      if UIImagePickerController.isCameraDeviceAvailable(.front) { picker.cameraDevice = .front }
    }
    picker.allowsEditing = true
    picker.delegate = context.coordinator
    return picker
  }

  func updateUIViewController(_ picker: UIImagePickerController, context: Context) {}

  func makeCoordinator() -> Coordinator { Coordinator(onEnd: onEnd) }

  final class Coordinator: NSObject, UIImagePickerControllerDelegate, UINavigationControllerDelegate
  {
    private let onEnd: @MainActor (Data?) -> Void

    init(onEnd: @escaping @MainActor (Data?) -> Void) {
      self.onEnd = onEnd
    }

    func imagePickerController(
      _ picker: UIImagePickerController,
      didFinishPickingMediaWithInfo info: [UIImagePickerController.InfoKey: Any]
    ) {
      let image = info[.editedImage] as? UIImage ?? info[.originalImage] as? UIImage
      onEnd(image?.jpegData(compressionQuality: 0.7))
    }

    func imagePickerControllerDidCancel(_ picker: UIImagePickerController) {
      onEnd(nil)
    }
  }
}
#endif
