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
            This lists such objects and removes them after asking. It works while the daemon runs, over its socket, and \
            while it does not.
            """
    )

    @Flag(help: "Remove without asking.")
    var yes = false

    @OptionGroup var state: StateOption
    @OptionGroup var token: FormerTokenOption
    @OptionGroup var file: FormerConfigurationOption

    func run() async throws {
        let location = try state.location()
        let folder = try location.open()
        try folder.requireModel()
        try await folder.withModel { backend in
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
