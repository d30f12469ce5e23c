package import Accounts
package import Bindings
package import JSON
import Logging
import MQTT
import Messages
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
        // Unstructured, because it is called in a turn, which must not wait for the database.
        Task {
            do throws(AccountsError) {
                for command in commands { try send(command) }
            } catch {
                logger.error("nobody is notified that a command has ended", metadata: ["error": "\(error)"])
            }
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

extension MQTTClient {
    /// Hands notices to the program that delivers them; without a link they wait in memory.
    func notices(_ topics: Topics, _ logger: Logger) -> @Sendable (JSONObject, _ isDevelopment: Bool) -> Void
    {
        { notice, isDevelopment in
            let topic = topics.pushOutbox(isDevelopment: isDevelopment)
            let payload = JSONValue.object(notice).bytes
            switch self.publish(MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce)) {
            case .queued: break
            case .dropped: logger.error("a notice of a command is lost: the broker has no room for it")
            // The error does not name the push token.
            case .refused(let error):
                logger.error("a notice of a command is lost", metadata: ["error": "\(error)"])
            }
        }
    }
}
