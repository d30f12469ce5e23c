import ArgumentParser
import Daemon
import Flare
import Foundation
import Settings

/// `trilateral tidy`: removes objects whose zone or environment is gone.
struct TidyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidy",
        abstract: "List and remove objects whose zone or environment is gone.",
        discussion: """
            When an environment or a zone is removed over REST, the objects in it stay, as with the original server. \
            This lists such objects and removes them after asking. While the daemon runs, it goes through its Flare \
            server, which the configuration names.
            """
    )

    @Flag(help: "Remove without asking.")
    var yes = false

    @OptionGroup var state: StateOption
    @OptionGroup var file: ConfigurationOption
    @OptionGroup var token: ServerTokenOption

    func run() async throws {
        let location = try state.location()
        let folder = try location.open()
        guard FileManager.default.fileExists(atPath: folder.flareDatabase) else {
            throw VerbError(
                "there is no \(folder.flareDatabase); name the state folder with --state",
                .noInput
            )
        }
        try await folder.withModel(
            token: token,
            configuration: { try location.configuration(file) }
        ) { backend in
            let orphans = try await backend.orphans()
            guard !orphans.isEmpty else {
                try StandardOutput.print("nothing to tidy: every object belongs to an environment")
                return
            }
            try StandardOutput.print(
                TextTable(
                    header: ["KIND", "ID", "NAME"],
                    rows: orphans.map { [$0.kind.rawValue, "\($0.id)", $0.name] }
                )
            )
            let count = orphans.count == 1 ? "1 object" : "\(orphans.count) objects"
            guard try await yes ? true : StandardInput.confirms("remove \(count)?") else {
                throw VerbError("nothing was removed; --yes removes \(count)", .failure)
            }
            let removed = try await backend.remove(orphans)
            if case .database = backend { await location.noteStored() }
            try StandardOutput.print("removed \(removed == 1 ? "1 object" : "\(removed) objects")")
        }
    }
}
