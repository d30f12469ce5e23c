import ArgumentParser
import OperatingSystem
import Settings

/// The token for the Flare server of the daemon that runs.
struct ServerTokenOption: ParsableArguments {
    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp(
            "A file with the token of an owner, for a daemon whose Flare server asks for one.",
            valueName: "file"
        ),
        completion: .file()
    )
    var tokenFile: String?

    /// - Throws: An exit code, after a message.
    func load(by command: String) throws -> Secret? {
        try tokenFile.map { try Secret.taken(from: Secret.loadToken($0), of: $0, by: command) }
    }
}

extension Secret {
    /// The secret of a file that a verb was given; prints the warning about the file, if any.
    ///
    /// - Parameter command: For messages.
    /// - Throws: An exit code, after a message.
    static func taken(
        from result: Result<(secret: Secret, warning: String?), FileError>,
        of file: String,
        by command: String
    ) throws -> Secret {
        switch result {
        case .success(let found):
            if let warning = found.warning {
                StandardError.print("trilateral \(command): warning: \(warning)")
            }
            return found.secret
        case .failure(let error):
            StandardError.print("trilateral \(command): \(file) \(error.message)")
            throw ExitCode.noInput
        }
    }
}
