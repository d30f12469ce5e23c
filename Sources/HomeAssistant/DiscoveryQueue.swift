/// A device that is announced gradually.
protocol QueuedDevice: Sendable {
    var slug: String { get }
}

extension ThingDiscovery: QueuedDevice {}
extension RuleDiscovery: QueuedDevice {}

/// A queue of devices to announce, in order of arrival, with the newest version of each.
struct DiscoveryQueue<Device: QueuedDevice>: Sendable {
    private var devices: [String: Device] = [:]
    private var order: ArraySlice<String> = []

    /// Whether they wait because of a birth message.
    private let areBorn: Bool

    init(_ devices: [Device] = [], areBorn: Bool = false) {
        self.areBorn = areBorn
        for device in devices { put(device) }
    }

    var isEmpty: Bool { devices.isEmpty }

    subscript(slug: String) -> Device? { devices.isEmpty ? nil : devices[slug] }

    mutating func put(_ device: Device) {
        if devices.updateValue(device, forKey: device.slug) == nil { order.append(device.slug) }
    }

    mutating func takeFirst() -> (device: Device, isBirth: Bool)? {
        while let slug = order.popFirst() {
            guard let device = devices.removeValue(forKey: slug) else { continue }
            freeIfEmpty()
            return (device, areBorn)
        }
        return nil
    }

    /// - Returns: Whether it was in the queue.
    mutating func remove(_ slug: String) -> Bool {
        guard devices.removeValue(forKey: slug) != nil else { return false }
        freeIfEmpty()
        return true
    }

    /// Frees the memory of an empty queue: it has thousands of devices after a start, and later one at a time.
    private mutating func freeIfEmpty() {
        if devices.isEmpty { (devices, order) = ([:], []) }
    }
}
