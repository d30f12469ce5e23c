import Accounts
import Bindings
import Controller
import Flare
import Logging
package import People

/// Where the orders for things go: to the Flare server, or to the thing itself.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
extension BindingService {
    /// A thing was heard itself, over topics of its own or with its token: it is reached at the edge from now on.
    package nonisolated func heard(_ thing: BindingID) async {
        guard let entry = directory.entry(thing) else { return }
        records.states.heard(thing, at: now)
        if entry.route != .edge { await reachAtEdge(thing) }
    }

    func reachAtEdge(_ id: BindingID) {
        guard directory.entry(id)?.route == .flare else { return }
        do throws(BindingsError) {
            try change(id) { store in
                guard var binding = try store.binding(id)?.binding else { return }
                binding.route = .edge
                try store.saveBinding(binding)
            }
        } catch {
            logger.warning(
                "a thing that was heard is not reached at the edge yet",
                metadata: ["thing": "\(id)", "error": "\(error)"]
            )
        }
    }

    /// Tells the controller which things are at the edge.
    nonisolated func sendRoutes() { for entry in directory.all { sendRoute(from: nil, to: entry) } }

    /// Tells the controller what has changed of the way to a thing.
    nonisolated func sendRoute(from old: BindingDirectory.Entry?, to new: BindingDirectory.Entry?) {
        let (was, now) = (old.flatMap(edgeRoute), new.flatMap(edgeRoute))
        if let was, was.thing != now?.thing { send(.edge(was.thing, .routed(nil))) }
        if let now, now.thing != was?.thing || now.route != was?.route {
            send(.edge(now.thing, .routed(now.route)))
        }
    }

    private nonisolated func edgeRoute(
        of entry: BindingDirectory.Entry
    ) -> (thing: FlareID, route: EdgeRoute)? {
        guard entry.route == .edge, let thing = entry.thing else { return nil }
        return (thing, route(settable: entry.settable))
    }

    /// How orders reach a thing, once it is at the edge.
    nonisolated func route(of binding: ThingBinding) -> EdgeRoute { route(settable: binding.settable) }

    private nonisolated func route(settable: Set<String>?) -> EdgeRoute {
        EdgeRoute(commandSeconds: settings.commandSeconds, settable: settable)
    }
}
