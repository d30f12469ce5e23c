package import Positioning

/// The Bluetooth adapter to scan with.
package enum AdapterChoice: Sendable, Hashable, LosslessStringConvertible {
    /// The first usable adapter.
    case automatic
    case index(Int)
    /// By the adapter's address, whichever port it is plugged into.
    case address(DeviceAddress)
    /// None: beacons come from other sources.
    case off

    package static let legal = "auto, none, hci0 to hci99, or an adapter's address as in 00:1A:7D:DA:71:13"

    package init?(_ text: String) {
        switch text.lowercased() {
        case "auto": self = .automatic
        case "none": self = .off
        case let text where text.hasPrefix("hci"):
            let digits = text.dropFirst(3)
            guard (1...2).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let index = Int(digits)
            else { return nil }
            self = .index(index)
        default:
            guard let address = DeviceAddress(text) else { return nil }
            self = .address(address)
        }
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .index(let index): "hci\(index)"
        case .address(let address): address.description
        case .off: "none"
        }
    }
}

/// Settings of the scanner.
package struct ScanSettings: Sendable, Hashable {
    package var adapter = AdapterChoice.automatic
    /// Whether to request scan responses, which drains the beacons' batteries.
    package var isActive = false
    /// Whether an adapter that receives nothing, or does not answer, may be reset.
    package var mayReset = true

    package init() {}
}

/// A Bluetooth adapter as the system reports it.
package struct AdapterInfo: Sendable, Hashable {
    package var index: Int
    package var address: DeviceAddress
    package var isUp: Bool
    /// `false` only when it is known to lack Bluetooth LE; this may be unknown before it is up.
    package var isLowEnergy: Bool

    package init(index: Int, address: DeviceAddress, isUp: Bool, isLowEnergy: Bool = true) {
        self.index = index
        self.address = address
        self.isUp = isUp
        self.isLowEnergy = isLowEnergy
    }

    package var name: String { "hci\(index)" }
}
