#if canImport(SwiftUI)
import PhotosUI
import ProductsCore
import SwiftUI

/// The form of a new product or of one that is there.
struct ProductFormView: View {
  let list: ProductListViewModel
  @Bindable var form: ProductFormViewModel
  @State private var chosen: PhotosPickerItem?

  var body: some View {
    NavigationStack {
      Form {
        Section {
          preview.frame(height: 220)
          PhotosPicker(form.photoTitle, selection: $chosen, matching: .images)
        }
        Section {
          TextField("Enter the name", text: $form.draft.name)
          TextField("Enter the description", text: $form.draft.description)
          TextField("Enter the code", text: $form.draft.code)
          TextField("Enter the price", text: $form.draft.price)
        }
      }
      .navigationTitle(form.title)
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button("Cancel") { list.closeForm() } }
        ToolbarItem(placement: .confirmationAction) {
          Button(form.saveTitle) { Task { await list.saveForm() } }.disabled(form.isSaving)
        }
      }
    }
    .task(id: chosen) { await takeChosen() }
    .alert(form.title, isPresented: .constant(form.isSaving)) {
    } message: {
      Text("Saving product...")
    }
    .alert("Error", isPresented: hasAlert) {
      Button("Dismiss") { form.dismissAlert() }
    } message: {
      Text(form.alert ?? "")
    }
  }

  @ViewBuilder private var preview: some View {
    #if canImport(UIKit)
    if let picture = form.photo.flatMap({ UIImage(data: $0.data) }) {
      Image(uiImage: picture).resizable().scaledToFit()
    } else {
      PhotoView(list: list, imageId: form.product?.imageId)
    }
    #else
    PhotoView(list: list, imageId: form.product?.imageId)
    #endif
  }

  private func takeChosen() async {
    do {
      if let data = try await chosen?.loadTransferable(type: Data.self) {
        form.choose(Self.compressed(data))
      }
    } catch {
      // The library could not hand the photo over; the form keeps the one that it has.
    }
  }

  /// The picture as small as JPEG makes it, as the book does.
  private static func compressed(_ data: Data) -> Data {
    #if canImport(UIKit)
    return UIImage(data: data)?.jpegData(compressionQuality: 0.0) ?? data
    #else
    return data
    #endif
  }

  private var hasAlert: Binding<Bool> {
    Binding {
      form.alert != nil
    } set: {
      if !$0 { form.dismissAlert() }
    }
  }
}
#endif
