/// The components that were removed once, and have not been announced over a birth of Home Assistant since.
///
/// Home Assistant keeps the entity id of a removed component, which its user may have changed. It returns to a proposed
/// id when the component comes back with one, so it comes back without.
/// - Source: Home Assistant 2026.11.0, `mqtt/entity.py`, `_init_entity_registry`.
struct FormerComponents: Sendable {
    /// Most devices of which nothing is announced any more.
    static let deviceLimit = 2000
    /// Most components of a device.
    private static let componentLimit = 200

    /// Whether Home Assistant saw them go.
    typealias Components = [ComponentName: Bool]

    private struct Device: Sendable {
        var components: Components
        /// A later change has a higher number.
        var order: Int
    }

    private var devices: [DeviceName: Device] = [:]
    /// Shares equal components: those of a kind of things are the same.
    private var shared: Set<Components> = []
    /// Most of them.
    private static let sharedLimit = 256
    private var changes = 0

    /// The components of a device, or of all parts of the daemon's own: there a component can move to another part.
    func names(on device: DeviceName) -> Set<ComponentName> {
        guard device.isOwn else { return Set((devices[device]?.components ?? [:]).keys) }
        return devices.reduce(into: []) { names, device in
            if device.key.isOwn { names.formUnion(device.value.components.keys) }
        }
    }

    /// Whether components of the device were removed.
    func contains(_ device: DeviceName) -> Bool { devices[device] != nil }

    /// The components of a device whose removal Home Assistant may have missed.
    func unseen(on device: DeviceName) -> [ComponentName] {
        (devices[device]?.components ?? [:]).filter { !$0.value }.keys.sorted { $0.text < $1.text }
    }

    /// All devices with components that were removed.
    var names: [DeviceName] { Array(devices.keys) }

    /// The devices with such components, those that went first in front.
    var unseen: [DeviceName] {
        devices.filter { $0.value.components.contains { !$0.value } }
            .sorted { $0.value.order < $1.value.order }.map(\.key)
    }

    /// - Parameter isSeen: Whether Home Assistant is known to be online.
    mutating func record(_ names: some Sequence<ComponentName>, of device: DeviceName, isSeen: Bool) {
        add(Dictionary(names.map { ($0, isSeen) }) { first, _ in first }, to: device)
    }

    mutating func add(_ components: Components, to device: DeviceName) {
        guard !components.isEmpty else { return }
        changes += 1
        var known = devices[device]?.components ?? [:]
        for (name, isSeen) in components {
            if known[name] == nil, known.count >= Self.componentLimit {
                // What is still to be removed counts more.
                guard !isSeen, let seen = known.first(where: \.value)?.key else { continue }
                known[seen] = nil
            }
            known[name] = isSeen
        }
        devices[device] = Device(components: share(known), order: changes)
    }

    private mutating func share(_ components: Components) -> Components {
        if shared.count >= Self.sharedLimit { shared.removeAll() }
        return shared.insert(components).memberAfterInsert
    }

    /// Records that nothing is left to be removed of components: Home Assistant has seen their removals, or they are
    /// announced again.
    mutating func recordSeen(_ names: [ComponentName], of device: DeviceName) {
        guard var components = devices[device]?.components else { return }
        for name in names where components[name] == false { components[name] = true }
        let seen = share(components)
        devices[device]?.components = seen
    }

    /// Forgets components that Home Assistant has under an id of their own.
    mutating func forget(_ names: [ComponentName], of device: DeviceName) {
        guard devices[device] != nil else { return }
        for name in names { devices[device]?.components[name] = nil }
        if devices[device]?.components.isEmpty ?? true { devices[device] = nil }
    }

    /// Forgets and returns the devices that are too many, those that went first.
    mutating func trim(unless isAnnounced: (DeviceName) -> Bool) -> [DeviceName] {
        guard devices.count > Self.deviceLimit else { return [] }
        let gone = devices.filter { !isAnnounced($0.key) }.sorted { $0.value.order < $1.value.order }
        let surplus = gone.prefix(max(0, gone.count - Self.deviceLimit)).map(\.key)
        for device in surplus { devices[device] = nil }
        return surplus
    }

    // MARK: Remembered form

    /// The components of a device, after an exclamation mark those whose removal Home Assistant may have missed, after
    /// a tilde the others; empty for none.
    func text(of device: DeviceName) -> String {
        Self.text(of: devices[device]?.components ?? [:])
    }

    static func text(of components: Components) -> String {
        [("!", false), ("~", true)].compactMap { mark, isSeen in
            let names = components.filter { $0.value == isSeen }.keys.map(\.text).sorted()
            return names.isEmpty ? nil : mark + names.joined(separator: " ")
        }.joined(separator: " ")
    }
}
