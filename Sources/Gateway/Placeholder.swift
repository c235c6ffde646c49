// Delete with the first real file.
