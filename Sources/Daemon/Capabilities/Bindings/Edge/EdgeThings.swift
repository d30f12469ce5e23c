import Bindings
import Controller
import Flare
import Messages
import People
import Threading

/// What things at the edge say about themselves, in memory: whether each is there, and which are pending.
///
/// The broker keeps `status`, so that a restart learns it again.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package actor EdgeThings {
    /// What the controller knows of a binding's thing.
    private struct Condition: Equatable {
        let thing: FlareID
        let isOnline: Bool
    }

    /// Ten thousand bindings, and those that are pending.
    private static let capacity = 11_000

    private let directory: BindingDirectory
    private let clock: @Sendable () -> Int64
    private let send: @Sendable (ControllerEvent) -> Void
    /// By vendorThingID.
    private var statuses: [String: EdgeStatus] = [:]
    private var conditions: [BindingID: Condition] = [:]
    private var pendingThings = PendingThings()
    /// Those that have spoken on the broker in this run.
    private nonisolated let speakers = Locked<Set<BindingID>>([])
    /// Those that had spoken when their bindings were forgotten, and have not noticed, by vendorThingID.
    private nonisolated let forgotten = Locked<Set<String>>([])

    /// - Parameter clock: Milliseconds since 1970.
    init(
        _ directory: BindingDirectory,
        clock: @escaping @Sendable () -> Int64,
        send: @escaping @Sendable (ControllerEvent) -> Void
    ) {
        (self.directory, self.clock, self.send) = (directory, clock, send)
    }

    // MARK: What they say

    /// A thing says whether it is there; `nil` if the broker keeps no status of it any more.
    func says(_ status: EdgeStatus?, _ vendor: String) {
        let before = statuses[vendor]
        if status == nil || before != nil || statuses.count < Self.capacity { statuses[vendor] = status }
        guard let id = directory.entry(ofVendor: vendor)?.id else {
            if status == nil { pendingThings.remove(vendor) } else { pendingThings.add(vendor, at: clock()) }
            return
        }
        refresh(id)
        guard (before == .offline) != (status == .offline) else { return }
        for node in directory.nodes(of: id) { refresh(node) }
    }

    /// A thing that is no binding has asked to become one, in vain.
    func saw(_ vendor: String) { pendingThings.add(vendor, at: clock()) }

    /// What a gateway sees now.
    func sees(_ nodes: [EdgeNode], _ gateway: String) {
        // Things that somebody owns are not pending, and take no place of those that are. What speaks itself belongs to no
        // gateway.
        let unowned = nodes.filter { node in
            guard let entry = directory.entry(ofVendor: node.vendor) else { return true }
            return !entry.isOwned && entry.route != .edge
        }
        pendingThings.replace(nodesOf: gateway, with: unowned, at: clock())
    }

    /// All that were seen, by name; some of them are bindings.
    var sightings: [PendingThings.Sighting] { pendingThings.all(at: clock()) }

    /// A thing has spoken on the broker.
    nonisolated func spoke(_ id: BindingID) { speakers.withLock { _ = $0.insert(id) } }

    /// Whether a thing reads its topics, as far as is known: it has spoken on the broker.
    nonisolated func isSpeaker(_ id: BindingID) -> Bool { speakers.withLock { $0.contains(id) } }

    /// The binding of a thing was forgotten.
    nonisolated func forgot(_ id: BindingID, _ vendor: String) {
        guard speakers.withLock({ $0.remove(id) }) != nil else { return }
        forgotten.withLock { if $0.count < Self.capacity { $0.insert(vendor) } }
    }

    /// Whether the binding of a thing was forgotten since it was refused or onboarded last; once.
    nonisolated func wasForgotten(_ vendor: String) -> Bool {
        forgotten.withLock { $0.remove(vendor) } != nil
    }

    // MARK: What the controller knows

    /// Follows the directory until the task is cancelled: a thing that is linked later has its status at once.
    package nonisolated func run() async {
        let (changes, port) = AsyncStream.makeStream(of: BindingID.self)
        directory.onChange { port.yield($0) }
        await refreshAll()
        for await id in changes { await refresh(id) }
    }

    /// Without things on the broker none of them says whether it is there.
    package nonisolated func clear() {
        for thing in directory.things where directory.entry(ofThing: thing)?.route == .edge {
            send(.edge(thing, .status(isOnline: nil)))
        }
    }

    private func refreshAll() {
        for vendor in statuses.keys.sorted() {
            if let id = directory.entry(ofVendor: vendor)?.id { refresh(id) }
        }
    }

    private func refresh(_ id: BindingID) {
        let entry = directory.entry(id)
        let (old, new) = (conditions[id], entry.flatMap(condition))
        guard old != new else { return }
        conditions[id] = new
        if entry == nil { speakers.withLock { _ = $0.remove(id) } }
        if let old, old.thing != new?.thing { send(.edge(old.thing, .status(isOnline: nil))) }
        if let new { send(.edge(new.thing, .status(isOnline: new.isOnline))) }
    }

    /// `nil` for one that has said nothing, and for what is not at the edge; a gateway that is gone takes its nodes along.
    private func condition(of entry: BindingDirectory.Entry) -> Condition? {
        guard let thing = entry.thing, entry.route == .edge else { return nil }
        let gateway = entry.gateway.flatMap { directory.entry($0) }.flatMap { statuses[$0.vendor] }
        if gateway == .offline { return Condition(thing: thing, isOnline: false) }
        return statuses[entry.vendor].map { Condition(thing: thing, isOnline: $0 == .online) }
    }
}
