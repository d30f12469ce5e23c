package import Accounts
package import Bindings
package import JSON
import Logging
import People

/// Notifies the installations of a command's issuer when it has ended.
///
/// - Source: contrib/contract/bindings.md, "Installations".
package struct CommandNotices: Sendable {
    private let accounts: AccountsRegistry
    private let publish: @Sendable (JSONObject, _ isDevelopment: Bool) -> Void

    /// - Parameter publish: Hands a message to the program that delivers it.
    package init(
        _ accounts: AccountsRegistry,
        publish: @escaping @Sendable (JSONObject, _ isDevelopment: Bool) -> Void
    ) {
        (self.accounts, self.publish) = (accounts, publish)
    }

    /// Notifies each installation of the issuer, or of the members of an issuing group.
    package func send(_ command: ThingCommand) throws(AccountsError) {
        for installation in try installations(of: command.issuer) {
            let notice = installation.notice(BindingService.newName("m"), of: command)
            publish(notice, installation.request.isDevelopment)
        }
    }

    /// The same for several commands, beside the loop of the node.
    func send(of commands: [ThingCommand], _ logger: Logger) {
        let commands = commands.filter { mayBeHeard($0.issuer) }
        guard !commands.isEmpty else { return }
        // Unstructured, because it is called in a turn, which must not wait for the database.
        Task {
            do throws(AccountsError) {
                try accounts.store.readInstallationOwners()
                for command in commands { try send(command) }
            } catch {
                logger.error("nobody is notified that a command has ended", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Whether there may be an installation to notify: most commands have none, and then nothing is read for them.
    private func mayBeHeard(_ issuer: Grantee?) -> Bool {
        switch issuer {
        case nil: false
        case .user(let id): accounts.store.mayHaveInstallations(id)
        case .group: true
        }
    }

    private func installations(of issuer: Grantee?) throws(AccountsError) -> [Installation] {
        switch issuer {
        case nil: return []
        case .user(let id): return try accounts.store.installations(of: id)
        case .group(let id):
            guard case .users(let members)? = accounts.table.group(id)?.members else { return [] }
            var all: [Installation] = []
            for member in members.sorted() { all += try accounts.store.installations(of: member) }
            return all
        }
    }
}

extension Outbox {
    /// Sends notices of commands.
    nonisolated func notices() -> @Sendable (JSONObject, _ isDevelopment: Bool) -> Void {
        { notice, isDevelopment in
            self.send(notice, by: .push(isDevelopment: isDevelopment), as: "a notice of a command")
        }
    }
}
