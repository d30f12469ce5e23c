package import Controller
package import Flare
package import People

/// The environments, zones and things of a node, with their slugs and where they are.
package struct AccessPlace: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let kind: FlareClass
        let slug: String
        let object: AccessObject
    }

    private var entries: [Entry] = []
    /// The nodes of further devices, sorted, so that the daemon and the verb make the same list of them; with them zones
    /// say who is in them.
    package var nodes: [String] = [] { didSet { nodes.sort() } }

    package init() {}

    /// What a node publishes now: all environments, and the zones and things of the chosen one.
    package init(_ state: ControllerState) {
        self.init(
            environments: state.environments.values,
            zones: state.zones.values,
            things: state.things.values,
            state.slugs
        )
        nodes = state.nodes.keys.sorted()
    }

    /// Objects without a slug have no topics, and are left out.
    package init(
        environments: some Sequence<FlareEnvironment>,
        zones: some Sequence<FlareZone>,
        things: some Sequence<FlareThing>,
        _ slugs: SlugRegistry
    ) {
        for environment in environments {
            if let slug = slugs[.environment, environment.id] { add(environment, slug: slug) }
        }
        for zone in zones { if let slug = slugs[.zone, zone.id] { add(zone, slug: slug) } }
        for thing in things { if let slug = slugs[.thing, thing.id] { add(thing, slug: slug) } }
    }

    package mutating func add(_ environment: FlareEnvironment, slug: String) {
        entries.append(Entry(kind: .environment, slug: slug, object: .environment(environment.id)))
    }

    package mutating func add(_ zone: FlareZone, slug: String) {
        entries.append(Entry(kind: .zone, slug: slug, object: AccessObject(zone)))
    }

    package mutating func add(_ thing: FlareThing, slug: String) {
        entries.append(Entry(kind: .thing, slug: slug, object: AccessObject(thing)))
    }

    /// What a reader sees: environments, then zones, then things, by slug.
    fileprivate func seen(by reader: Reader) -> [(kind: FlareClass, slug: String)] {
        let order: [FlareClass] = [.environment, .zone, .thing]
        return order.flatMap { kind in
            entries.filter { $0.kind == kind && reader.sees($0.object) }.map(\.slug).sorted().map {
                (kind, $0)
            }
        }
    }
}

extension AccessList {
    /// What a user may do on the broker at a moment.
    ///
    /// - Source: contrib/contract/people.md, "On the broker".
    package func grants(of user: User, in table: AccessTable, _ place: AccessPlace, at now: Int64) -> [Grant]
    {
        let reader = Reader(table, for: .user(user.id), at: now)
        var filters = [topics.status, topics.info, topics.user(user.name, "response/+")]
        if reader.seesEverything {
            filters += topics.ofEverything
        } else {
            for (kind, slug) in place.seen(by: reader) { filters += topics.object(kind, everybodys: slug) }
        }
        if reader.seesDevices {
            filters += topics.ofDevices
            let things =
                reader.seesEverything
                ? ["+"] : place.seen(by: reader).filter { $0.kind == .thing }.map(\.slug)
            filters += things.map { topics.beacon(thing: $0) }
        }
        // Retained once for all readers: the broker cannot leave out what one of them may not see.
        if reader.seesAll { filters += topics.ofDevicesAmongThings }
        if !place.nodes.isEmpty {
            // A zone says who is in it, and that is retained once for all readers, too.
            if !reader.seesDevices { filters.removeAll { topics.isZone($0) } }
            if reader.seesAll { filters.append(topics.devices) }
            for node in place.nodes where reader.sees(node: node) {
                filters += topics.node(node).ofNode(withPlace: reader.seesEverything)
            }
            if !reader.seesDevices, reader.sees(node: topics.nodeName) {
                let known = Set(filters)
                filters += topics.ofNode(withPlace: reader.seesEverything).filter { !known.contains($0) }
            }
        }
        var orders = commands.filters.map { topics.user(user.name, $0) }
        let seen = place.nodes.filter { reader.sees(node: $0) }
        if !seen.isEmpty {
            let ofDevice = CommandTable(ofDevice: commands).filters
            for node in seen.map(topics.node) {
                filters.append(node.user(user.name, "response/+"))
                orders += ofDevice.map { node.user(user.name, $0) }
            }
        }
        return filters.map { Grant(access: .read, filter: $0) }
            + orders.map { Grant(access: .write, filter: $0) }
    }

    /// A section for each active user, by name, after a line with a hash of them all.
    ///
    /// A user with the name of a role is left out: mosquitto would give them the rights of both.
    /// - Parameters:
    ///   - things: Those at the edge, in sections behind those of the users.
    ///   - now: Milliseconds since 1970, UTC.
    package func peopleText(
        _ table: AccessTable,
        _ place: AccessPlace,
        things: [AccessThing] = [],
        at now: Int64
    ) -> String {
        let taken = Set(Role.allCases.map { user($0) })
        let sections = table.users.filter { $0.state == .active }.map { user in
            guard !taken.contains(user.name) else {
                return "# \(user.name): left out, because a role has this name\n"
            }
            let lines = grants(of: user, in: table, place, at: now).map {
                "topic \($0.access.rawValue) \($0.filter)"
            }
            return (["user \(user.name)"] + lines).joined(separator: "\n") + "\n"
        }
        return Self.hashed(sections + self.sections(of: things, others: Self.names(of: table)))
    }
}

extension Topics {
    /// What everybody reads who sees all environments, zones and things, as filters.
    fileprivate var ofEverything: [String] {
        [FlareClass.environment, .zone, .thing].flatMap { object($0, everybodys: "+") }
            + [ChangeEvent.Topic.thing, .environment, .bridge].map { event($0) }
            + [
                sensors, health, alerts, alert("+"), station, setupCandidates, screen(display: "+"),
                visible(display: "+"),
            ]
    }

    /// The topics of an object for whoever may see it; when its beacon was heard tells where devices are.
    fileprivate func object(_ kind: FlareClass, everybodys slug: String) -> [String] {
        object(kind, all: slug).filter { kind != .thing || $0 != beacon(thing: slug) }
    }

    /// The last level of the root.
    fileprivate var nodeName: String { root.split(separator: "/").last.map(String.init) ?? "" }

    /// What a node publishes of its device, as filters, for who may see that one.
    ///
    /// - Parameter withPlace: Whether for who sees the place, too, which some of it names.
    fileprivate func ofNode(withPlace: Bool) -> [String] {
        [status, info] + ofDevices
            + (withPlace
                ? [
                    state, environment, zone, device, nearby, nearbyAvailability, nearbyLight, nearbyDistance,
                    lifecycle, sensors, health, alerts, alert("+"),
                ]
                    + [ChangeEvent.Topic.environment, .zone, .nearby, .lifecycle, .bridge].map { event($0) }
                : [])
    }

    /// Whether a filter is that of a zone itself, or of all zones.
    fileprivate func isZone(_ filter: String) -> Bool {
        let zones = object(.zone, "")
        return filter.hasPrefix(zones) && !filter.dropFirst(zones.count).contains("/")
    }

    /// What tells where devices are, and nothing else, as filters.
    fileprivate var ofDevices: [String] {
        [devicePosition, deviceAngle, deviceLocation, frame, event(.device)]
    }

    /// What tells where devices are among environments, zones and things, as filters: the lifecycle rises when a thing is
    /// near, and a banner may say who came.
    fileprivate var ofDevicesAmongThings: [String] {
        [
            state, environment, zone, device, nearby, nearbyAvailability, nearbyLight, nearbyDistance, map,
            lifecycle,
        ] + [ChangeEvent.Topic.zone, .nearby, .lifecycle, .display].map { event($0) }
            // Why a rule has fired says who came.
            + [rule("+"), event(.rule)] + ruleMessages
    }
}
