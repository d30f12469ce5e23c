import ArgumentParser
import OperatingSystem
import Settings
import Text

/// The token for the Flare server of the daemon that runs.
struct ServerTokenOption: ParsableArguments {
    @Option(file: "A file with the token of an owner, for a daemon whose Flare server asks for one.")
    var tokenFile: String?

    func load() throws(VerbError) -> Secret? {
        guard let tokenFile else { return nil }
        return try Secret.taken(from: Secret.loadToken(tokenFile), of: tokenFile)
    }
}

/// Accepts `--token-file FILE`, which verbs needed while they asked the daemon's Flare server; it changes nothing.
struct FormerTokenOption: ParsableArguments {
    @Option(name: .customLong("token-file"), help: .hidden)
    var tokenFile: String?
}

/// Accepts `--config FILE`, which told such verbs where that server was; it changes nothing.
struct FormerConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: .hidden)
    var path: String?
}

extension Secret {
    /// The secret of a file that a verb was given; prints the warning about the file, if any.
    ///
    /// - Throws: ``VerbError``.
    static func taken(
        from result: Result<(secret: Secret, warning: String?), FileError>,
        of file: String
    ) throws(VerbError) -> Secret {
        switch result {
        case .success(let found):
            if let warning = found.warning {
                StandardError.report("warning: \(warning)")
            }
            return found.secret
        case .failure(let error):
            throw VerbError("\(file) \(error.message)", .noInput)
        }
    }
}
