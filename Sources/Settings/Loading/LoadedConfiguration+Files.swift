import OperatingSystem

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

    /// Reads a file that a key names: what is wrong with it, and what should change.
    func load(
        _ file: ConfigurationFile,
        into loaded: inout LoadedConfiguration
    ) -> (problems: [ConfigurationError], warnings: [ConfigurationError]) {
        let origin = loaded.origin(file.path)
        func found(_ message: String) -> [ConfigurationError] {
            [ConfigurationError(origin, file.path, message)]
        }
        if let problem = key(file.path)?.problemOfKind(in: loaded.values) { return (found(problem), []) }
        switch file.load(&loaded) {
        case .success(let warning): return ([], warning.map(found) ?? [])
        case .failure(let error): return (found(error.message), [])
        }
    }
}
