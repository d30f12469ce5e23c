extension ProfileLibrary {
    /// The profiles that everybody has.
    package static let builtIn: ProfileLibrary = {
        var library = ProfileLibrary()
        library.profiles = builtInReading.library.profiles.map { profile in
            var builtIn = profile
            builtIn.origin = .builtIn
            return builtIn
        }
        return library
    }()

    /// Their file, checked like every other: a test holds it to no problem.
    static var builtInReading: ProfileReading {
        let source = ProfileSource(file: "built-in", json: PackageResources.builtin_json, needsClass: false)
        return ProfileReading(of: [source], modules: nil, onto: [])
    }
}
