import Accounts
import HTTPTypes
import Logging
import People
import Resolution
import Web

extension WebPeople {
    /// The users of a node.
    init(_ context: CapabilityContext) {
        let web = context.configuration.web
        self.init(
            identify: context.accounts.identify,
            end: context.accounts.end,
            handler: context.accountsHandler,
            isOpen: web.access.isOpen,
            isSecure: web.access.tls != nil,
            isFramed: !web.frameAncestors.isEmpty,
            proxy: Proxy(context)
        )
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
                _ = try accounts.change { store throws(AccountsError) in
                    try store.addUser(NewUser(name), by: .program, at: accounts.clock())
                }
                var entry = CommandLogEntry(
                    at: accounts.clock(),
                    face: "proxy",
                    speaker: "nobody",
                    kind: "user add",
                    state: "obeyed"
                )
                entry.target = name
                accounts.log(entry)
            } catch {
                logger.warning("a user whom the proxy names was not made", metadata: ["error": "\(error)"])
            }
        }
    }
}
