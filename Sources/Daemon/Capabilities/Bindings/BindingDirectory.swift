package import Accounts
package import Bindings
package import Flare
import JSON
package import People
import Threading

/// The bindings in memory, without what is long or secret: what the door and topics read without waiting.
///
/// May be used from any thread. The store decides; this follows each change of it.
package final class BindingDirectory: Sendable {
    /// A binding, without password, properties and state.
    package struct Entry: Sendable, Hashable {
        package let id: BindingID
        package let vendor: String
        package let type: String?
        package let interval: GroupInterval?
        package let isOwned: Bool
        package let gateway: BindingID?
        /// The thing of the environment that it is linked to.
        package let thing: FlareID?
        package let route: ThingBinding.Route
        /// The keys of its data that may be set, if it says so.
        package let settable: Set<String>?
        /// Its owners while it is linked to no thing.
        package let owners: Set<Grantee>
        /// Whether a thing is still to be found or made for it.
        package let isWaiting: Bool

        init(_ stored: StoredBinding) {
            let binding = stored.binding
            (id, vendor, type) = (binding.id, binding.vendor, binding.type)
            (interval, isOwned, gateway) = (binding.interval, binding.isOwned, binding.gateway)
            (thing, route, owners) = (binding.thing, binding.route, Set(stored.owners))
            settable = binding.settable
            isWaiting = binding.isOwned && binding.thing == nil
        }

        /// Whether it has reported or was claimed, and neither an owner nor a thing of the place is there.
        var isUnclaimed: Bool { thing == nil && owners.isEmpty && (isOwned || route == .edge) }

        /// The interval of the groups of its history, if it has one.
        package var history: Result<GroupInterval, BindingsError> {
            ThingBinding.history(of: vendor, isOwned: isOwned, interval)
        }
    }

    private struct State {
        var entries: [BindingID: Entry] = [:]
        var vendors: [String: BindingID] = [:]
        var things: [FlareID: BindingID] = [:]
        /// Those for which a thing is still to be found or made.
        var waiting: Set<BindingID> = []
        /// How many without a thing each has, and how many nobody has.
        var owned: [Grantee: Int] = [:]
        var unclaimed = 0
        var observers: [@Sendable (BindingID) -> Void] = []

        mutating func put(_ entry: Entry) {
            remove(entry.id)
            entries[entry.id] = entry
            vendors[entry.vendor] = entry.id
            if let thing = entry.thing { things[thing] = entry.id }
            if entry.isWaiting { waiting.insert(entry.id) }
            count(entry, 1)
        }

        mutating func remove(_ id: BindingID) {
            guard let entry = entries.removeValue(forKey: id) else { return }
            vendors[entry.vendor] = nil
            if let thing = entry.thing { things[thing] = nil }
            waiting.remove(id)
            count(entry, -1)
        }

        private mutating func count(_ entry: Entry, _ change: Int) {
            if entry.isUnclaimed { unclaimed += change }
            guard entry.thing == nil else { return }
            for owner in entry.owners {
                let count = owned[owner, default: 0] + change
                owned[owner] = count > 0 ? count : nil
            }
        }
    }

    private let state = Locked(State())

    package init(_ bindings: [StoredBinding] = []) {
        state.withLock { state in for binding in bindings { state.put(Entry(binding)) } }
    }

    package var count: Int { state.withLock { $0.entries.count } }

    package func entry(_ id: BindingID) -> Entry? { state.withLock { $0.entries[id] } }

    package func entry(ofVendor vendor: String) -> Entry? {
        state.withLock { state in state.vendors[vendor].flatMap { state.entries[$0] } }
    }

    /// By its thingID or its vendorThingID.
    func entry(named name: String) -> Entry? { BindingID(name).flatMap(entry) ?? entry(ofVendor: name) }

    package func entry(ofThing thing: FlareID) -> Entry? {
        state.withLock { state in state.things[thing].flatMap { state.entries[$0] } }
    }

    /// Whether a binding is linked to a thing.
    package func has(_ thing: FlareID) -> Bool { state.withLock { $0.things[thing] != nil } }

    package func entry(_ target: TargetName) -> Entry? {
        switch target {
        case .thing(let id): entry(id)
        case .vendor(let vendor): entry(ofVendor: vendor)
        }
    }

    /// The end nodes of a gateway.
    package func nodes(of gateway: BindingID) -> [BindingID] {
        state.withLock { $0.entries.values.filter { $0.gateway == gateway }.map(\.id) }
    }

    /// All bindings, in a fixed order.
    package var all: [Entry] { state.withLock { $0.entries.values.sorted { $0.id < $1.id } } }

    /// The things that bindings are linked to.
    package var things: Set<FlareID> { state.withLock { Set($0.things.keys) } }

    /// All bindings, in no order.
    var entries: [Entry] { state.withLock { Array($0.entries.values) } }

    /// Those for which a thing is still to be found or made, in a fixed order.
    package var waiting: [BindingID] { state.withLock { $0.waiting.sorted() } }

    /// How many of an owner have no thing of the place.
    func countWithoutThing(of owner: Grantee) -> Int { state.withLock { $0.owned[owner] ?? 0 } }

    /// How many nobody owns, without those that are only expected.
    var unclaimed: Int { state.withLock { $0.unclaimed } }

    package var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    func put(_ binding: StoredBinding) {
        let observers = state.withLock { state in
            state.put(Entry(binding))
            return state.observers
        }
        for observer in observers { observer(binding.binding.id) }
    }

    func remove(_ id: BindingID) {
        let observers = state.withLock { state in
            state.remove(id)
            return state.observers
        }
        for observer in observers { observer(id) }
    }

    /// Calls back after each change of a binding, on the thread of the change, as long as the directory lives.
    func onChange(_ observer: @escaping @Sendable (BindingID) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }
}
