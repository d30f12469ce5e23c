import OperatingSystem

extension LoadedConfiguration {
    /// Whether another reading has the same values, and the files that they name have the same contents.
    package func isSame(as other: LoadedConfiguration) -> Bool {
        values == other.values && files == other.files
    }
}

extension ConfigurationSchema {
    /// The files that a configuration names, by key path, apart from those that the daemon writes.
    func fingerprints(_ configuration: TrilateralConfiguration) -> [String: [FileFingerprint]] {
        var result: [String: [FileFingerprint]] = [:]
        for key in keys where key.isFile && !key.isWritten {
            let names = key.files(in: configuration)
            if !names.isEmpty { result[key.path] = names.map(FileFingerprint.init(path:)) }
        }
        return result
    }
}
