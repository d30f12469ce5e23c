package import Flare

/// What one caller may do with environments, zones and things at a moment, for looking at many of them.
///
/// Each look gives the same answer as ``AccessTable/verdict(of:_:on:at:)``. It is right until ``validUntil``, or
/// until the table changes.
package struct Reader: Sendable, Hashable {
    /// Whether everything may be seen, so that nothing needs to be asked.
    package private(set) var seesEverything = false
    /// Whether positions of all devices may be seen.
    package private(set) var seesDevices = false
    /// The soonest moment at which an answer may change; milliseconds since 1970, UTC; `nil` for never.
    package private(set) var validUntil: Int64?

    /// The nodes of devices that may be seen besides.
    private var nodes: Set<String> = []
    private var environments: Set<FlareID> = []
    private var zones: Set<FlareID> = []
    private var things: Set<FlareID> = []

    /// Sees nothing, as who is not identified.
    package init() {}

    /// - Parameter access: What is asked for; seeing, if nothing else is said.
    package init(_ table: AccessTable, for caller: Caller, _ access: Access = .read, at now: Int64) {
        validUntil = table.nextChange(after: now)
        switch caller {
        case .nobody: (seesEverything, seesDevices) = (true, true)
        case .user(let id, let ceiling):
            guard let entry = table.index.entry(of: id), entry.user.state == .active,
                ceiling.map({ access <= $0 }) ?? true
            else { return }
            seesEverything = table.verdict(of: caller, access, on: .everything, at: now).isGranted
            seesDevices = table.verdict(of: caller, access, on: .devices, at: now).isGranted
            guard !seesEverything || !seesDevices else { return }
            if !seesDevices {
                nodes = Set(table.devices(of: entry.user))
            }
            collect(table, entry, access, now)
        }
    }

    private mutating func collect(
        _ table: AccessTable,
        _ entry: AccessIndex.Entry,
        _ access: Access,
        _ now: Int64
    ) {
        var runs = [entry.run]
        var groups = entry.groups
        while let number = groups.popFirst() { runs.append(table.index.run(ofGroup: number)) }
        for grant in runs.lazy.joined().map({ table.index.grants[$0] })
        where grant.allows(access, at: now) {
            switch grant.scope {
            case .all, .devices: break
            case .device(let node): if !seesDevices { nodes.insert(node) }
            case _ where seesEverything: break
            case .environment(let id): environments.insert(id)
            case .zone(let id): zones.insert(id)
            case .thing(let id): things.insert(id)
            case .group(let id):
                guard let number = table.index.groupNumbers[id],
                    case .things(let members) = table.groups[number].members
                else { continue }
                things.formUnion(members)
            }
        }
    }

    /// Whether nothing at all may be seen.
    package var seesNothing: Bool {
        !seesEverything && !seesDevices && nodes.isEmpty && environments.isEmpty && zones.isEmpty
            && things.isEmpty
    }

    /// Whether everything may be seen, positions of devices too.
    package var seesAll: Bool { seesEverything && seesDevices }

    /// Whether another one sees just the same, as long as both are right.
    package func seesSame(as other: Reader) -> Bool {
        var other = other
        other.validUntil = validUntil
        return self == other
    }

    package func sees(environment: FlareID) -> Bool { seesEverything || environments.contains(environment) }

    /// Whether the device of a node may be seen.
    package func sees(node: String) -> Bool { seesDevices || nodes.contains(node) }

    package func sees(_ thing: FlareThing) -> Bool { sees(AccessObject(thing)) }

    package func sees(_ zone: FlareZone) -> Bool { sees(AccessObject(zone)) }

    /// Whether any object is seen; groups and administration never are.
    package func sees(_ object: AccessObject) -> Bool {
        switch object {
        // Most things are seen by their environment or their zone.
        case .thing(let id, let zone, let environment):
            environment.map(sees(environment:)) ?? seesEverything
                || zone.map { zones.contains($0) } ?? false || things.contains(id)
        case .zone(let id, let environment):
            environment.map(sees(environment:)) ?? seesEverything || zones.contains(id)
        case .environment(let id): sees(environment: id)
        case .everything: seesEverything
        case .devices: seesDevices
        case .device(let node): sees(node: node)
        case .group, .administration: false
        }
    }
}
