import Accounts
import Administration
import HTTPTypes
import Logging
import People
import Resolution
import Settings
import Web

extension WebPeople {
    /// The users of a node.
    init(_ context: CapabilityContext) throws {
        let (web, accounts, administration) = (
            context.configuration.web, context.accounts, context.administration
        )
        let text = try web.access.password()
        let proxies = web.proxies.compactMap { NetworkRange($0) }
        self.init(
            identify: accounts.identify,
            end: accounts.end,
            handler: administration.answer,
            isOpen: web.access.isOpen,
            isSecure: web.access.tls != nil,
            isFramed: !web.frameAncestors.isEmpty,
            // While it cannot be stored, signing in works all the same.
            key: try? context.store.sessionKey(),
            proxy: Proxy(context),
            isForwarder: { PeerAddress($0).map { peer in proxies.contains { $0.contains(peer) } } ?? false },
            password: try text.map { _ in try Password(context) }
        ) {
            await accounts.useListenerPassword(text)
        }
    }
}

extension WebPeople.Password {
    fileprivate init(_ context: CapabilityContext) throws {
        let (web, administration) = (context.configuration.web, context.administration)
        self.init(
            cookie: SessionCookie(
                key: try context.store.sessionKey(),
                isSecure: web.access.tls != nil,
                isFramed: !web.frameAncestors.isEmpty
            )
        ) { text, source in
            await administration.checkListenerPassword(text, from: source, interface: WebHub.interface)
        }
    }
}

extension WebPeople.Proxy {
    /// `nil` if no proxy signs people in.
    fileprivate init?(_ context: CapabilityContext) {
        let settings = context.configuration.people.proxy
        guard let header = settings.header.flatMap({ HTTPField.Name($0) }) else { return nil }
        let networks = settings.networks.compactMap { NetworkRange($0) }
        let (accounts, logger) = (context.accounts, context.logger)
        self.init(header: header) { address in
            PeerAddress(address).map { peer in networks.contains { $0.contains(peer) } } ?? false
        } make: { name in
            guard settings.makesUsers else { return }
            do throws(AccountsError) {
                _ = try accounts.change { try $0.addNewcomer(NewUser(name), at: accounts.clock()) }
                var entry = CommandLogEntry(
                    at: accounts.clock(),
                    interface: "proxy",
                    caller: "nobody",
                    kind: "user add",
                    state: "accepted"
                )
                entry.target = name
                accounts.log(entry)
            } catch {
                logger.warning("a user whom the proxy names was not made", metadata: ["error": "\(error)"])
            }
        }
    }
}
