import ArgumentParser
import Settings

/// The token for the Flare server of the daemon that runs.
struct ServerTokenOption: ParsableArguments {
    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp(
            "A file with the token of an owner, for a daemon whose Flare server asks for one.",
            valueName: "file"
        )
    )
    var tokenFile: String?

    /// - Throws: An exit code; what is wrong with the file was told.
    func load(by command: String) throws -> Secret? {
        guard let tokenFile else { return nil }
        switch Secret.loadToken(tokenFile) {
        case .success(let found):
            if let warning = found.warning {
                StandardError.print("trilateral \(command): warning: \(warning)")
            }
            return found.secret
        case .failure(let error):
            StandardError.print("trilateral \(command): \(tokenFile) \(error.message)")
            throw ExitCode.noInput
        }
    }
}
