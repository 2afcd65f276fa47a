import FMFormats

extension StoredModel {
  /// Positions the model was made for, read from its file's header; nil where that does not say.
  package var trainedContextLength: Int? {
    guard let file = try? GGUFFile(path: path),
      let architecture = file.string("general.architecture")
    else { return nil }
    return file.integer("\(architecture).context_length")
  }
}
